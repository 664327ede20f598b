// The order of axes in images and signals: channels stand last unless a call says tx::channels_first.
#pragma once

namespace tx {

// Channels are the axis behind the batch's: (n, c, ...), PyTorch's and ONNX's layout.
enum channels_first_t { channels_first };
// Channels are the last axis: (n, ..., c), the default.
enum channels_last_t { channels_last };

} // namespace tx
