// This file holds mapped_file, which maps a file as read-only memory where the system can, so that parts that aren't read cost
// nothing. Elsewhere it reads the whole file.
#pragma once

#include <tracexpr/files/file.hpp>

#include <memory>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace tx::onnx::detail {

class mapped_file {
public:
    explicit mapped_file(tx::detail::file_call const& call) {
#if defined(__unix__) || defined(__APPLE__)
        int const handle = ::open(call.path.c_str(), O_RDONLY | O_CLOEXEC);
        if (handle < 0) call.fail("can't be opened to read");
        struct stat about{};
        bool const is_file = ::fstat(handle, &about) == 0 && S_ISREG(about.st_mode);
        size_ = is_file ? static_cast<std::size_t>(about.st_size) : 0;
        if (size_ > 0) data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, handle, 0);
        ::close(handle);
        if (!is_file) call.fail("is no file");
        if (data_ == MAP_FAILED) call.fail("can't be read");
#else
        std::ifstream file = tx::detail::open_to_read(call);
        read_.assign(std::istreambuf_iterator<char>(file), {});
        data_ = read_.data(), size_ = read_.size();
#endif
    }
    mapped_file(mapped_file const&) = delete;
    mapped_file& operator=(mapped_file const&) = delete;
    ~mapped_file() {
#if defined(__unix__) || defined(__APPLE__)
        if (size_ > 0 && data_ != MAP_FAILED) ::munmap(data_, size_);
#endif
    }

    std::string_view bytes() const { return {static_cast<char const*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
#if !defined(__unix__) && !defined(__APPLE__)
    std::vector<char> read_;
#endif
};

} // namespace tx::onnx::detail
