"""torch_models.py <folder>: writes models as PyTorch's exporters make them, of known and of unknown batches, each with inputs and
outputs as ONNX's own tests have them, so that node_tests runs them. Ends with 77 where there is no PyTorch."""
import os
import shutil
import sys
import warnings

try:
    import onnxscript  # torch.onnx.export needs it
    import torch
    from onnx import numpy_helper
    from torch import nn
    from torch.nn import functional as F
except ImportError as e:
    print("torch_models: not installed:", e.name)
    sys.exit(77)


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.inner = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1), nn.BatchNorm2d(channels))

    def forward(self, x):
        return torch.relu(x + self.inner(x))


def classifier():
    return nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3), nn.BatchNorm2d(16), nn.ReLU6(), nn.MaxPool2d(3, 2, 1), Residual(16),
        nn.Conv2d(16, 32, 3, 2, 1, groups=16), nn.Hardswish(), Residual(32), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(32, 10), nn.LogSoftmax(1))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.layers = kind(8, 12, **options)

    def forward(self, x):
        y, state = self.layers(x)
        return y, state[0] if isinstance(state, tuple) else state


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.down = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, 2, 1)
        self.up, self.last = nn.ConvTranspose2d(16, 8, 2, 2), nn.Conv2d(16, 2, 1)
        self.groups, self.instances = nn.GroupNorm(4, 16), nn.InstanceNorm2d(8, affine=True)

    def forward(self, x):
        a = self.instances(F.silu(self.first(x)))
        b = F.gelu(self.groups(self.down(a)))
        linear = F.interpolate(b, scale_factor=2, mode="bilinear", align_corners=False)
        nearest = F.interpolate(b, size=x.shape[2:], mode="nearest")
        return self.last(torch.cat([a, self.up(b)], 1)) + linear[:, :2] + nearest[:, 2:4]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32), nn.Parameter(torch.randn(16, 32))
        self.mixed, self.out, self.norm = nn.Linear(32, 96), nn.Linear(32, 32), nn.LayerNorm(32)
        self.layers = nn.Sequential(nn.Linear(32, 64), nn.GELU("tanh"), nn.Linear(64, 32))
        self.scores = nn.Linear(32, 50, bias=False)

    def forward(self, words):
        x = self.words(words) + self.places[: words.shape[1]]
        q, k, v = [part.unflatten(-1, (4, 8)).transpose(1, 2) for part in self.mixed(self.norm(x)).chunk(3, -1)]
        attention = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attention.transpose(1, 2).flatten(2))
        x = x + self.layers(self.norm(x))
        return self.scores(x), x.std(-1), torch.topk(self.scores(x)[:, -1], 5)[0]


class Arrays(nn.Module):
    def forward(self, x):
        mask, small = x > 0.3, (x.abs() * 2).long().clamp(0, 3)
        return (torch.where(mask, x, -x).cumsum(1), torch.einsum("bij,bkj->bik", x, x), x.masked_fill(mask, 0).norm(dim=-1),
                x.roll(1, -1), x.amax((1, 2)), torch.argsort(x, -1), x.tril(), torch.scatter_add(torch.zeros_like(x), 2, small, x),
                x.flip(1), torch.logsumexp(x, 1), x.var((1, 2)), x.round(), torch.remainder(x, 0.7), torch.fmod(x, 0.7),
                torch.erf(x), F.pad(x, (1, 2, 0, 1), mode="reflect"), F.unfold(x[:, None], 2), F.glu(x, -1), x[:, ::2, 1:],
                x[:, [0, 2, 1]], F.one_hot(small, 5), x.unsqueeze(1).expand(-1, 3, -1, -1).mean(1))


class Loop(nn.Module):
    def forward(self, x):
        return torch._higher_order_ops.while_loop(
            lambda i, v: i < 5, lambda i, v: (i + 1, v * 0.5 + torch.sin(v)), (torch.tensor(0), x))[1]


class Branch(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda a: a * 2, torch.exp, (x,))


warnings.simplefilter("ignore")
torch.manual_seed(0)
script, dynamo, dynamic = "script", "dynamo", "dynamic"
models = {
    "perceptron": (nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.LayerNorm(32), nn.Linear(32, 4), nn.Softmax(-1)), torch.randn(5, 10),
                   (dynamo, dynamic, script)),
    "classifier": (classifier(), torch.randn(2, 3, 33, 35), (dynamo, dynamic, script)),
    "unet": (UNet(), torch.randn(2, 1, 16, 20), (dynamo, dynamic, script)),
    "lstm": (Recurrent(nn.LSTM, num_layers=2, bidirectional=True, batch_first=True), torch.randn(3, 7, 8), (dynamo, dynamic, script)),
    "gru": (Recurrent(nn.GRU, num_layers=2), torch.randn(7, 3, 8), (dynamo, script)),
    "rnn": (Recurrent(nn.RNN, nonlinearity="relu"), torch.randn(7, 3, 8), (dynamo, script)),
    "encoder": (nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), torch.randn(2, 9, 16), (dynamo, dynamic)),
    "decoder": (Decoder(), torch.randint(0, 50, (2, 11)), (dynamo, dynamic, script)),
    "arrays": (Arrays(), torch.randn(2, 4, 4), (dynamo, script)),
    "loop": (Loop(), torch.randn(3), (dynamo, dynamic)),
    "branch": (Branch(), torch.randn(3), (dynamo, dynamic)),
}
folder = sys.argv[1]
shutil.rmtree(folder, ignore_errors=True)
for name, (model, x, ways) in models.items():
    model.eval()
    for way in ways:
        data = os.path.join(folder, f"{name}_{way}", "test_data_set_0")
        os.makedirs(data)
        path = os.path.join(folder, f"{name}_{way}", "model.onnx")
        with torch.no_grad():
            if way == script:
                torch.onnx.export(model, (x,), path, dynamo=False, opset_version=17)
            else:
                shapes = ({0: torch.export.Dim.DYNAMIC},) if way == dynamic else None
                torch.onnx.export(model, (x,), path, dynamo=True, dynamic_shapes=shapes, external_data=way == dynamic, verbose=False)
            y = model(x)
        for kind, values in (("input", [x]), ("output", y if isinstance(y, tuple) else [y])):
            for k, value in enumerate(values):
                with open(os.path.join(data, f"{kind}_{k}.pb"), "wb") as file:
                    file.write(numpy_helper.from_array(value.numpy()).SerializeToString())
print("wrote", sum(len(ways) for _, _, ways in models.values()), "models")
