// A file that is made beside another and takes its place at once, when it is whole and on the disk: whatever ends the program or
// the machine before leaves the other as it was. Knows nothing of what the files hold.
#pragma once

#include <tracexpr/base/config.hpp>

#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace tx::detail {

// "weights.npz" to "weights.npz.<mark>.part".
inline std::filesystem::path path_beside(std::filesystem::path path, std::string const& mark) {
    return path += "." + mark + ".part";
}

#if defined(__unix__) || defined(__APPLE__)

// A file as the system has opened it. The handle closes it, and programs that this one starts don't get it.
class file_handle {
public:
    file_handle() = default;
    file_handle(std::filesystem::path const& path, int flags, ::mode_t mode = 0)
        : number_{::open(path.c_str(), flags | O_CLOEXEC, mode)} {}
    file_handle(file_handle const&) = delete;
    file_handle& operator=(file_handle const&) = delete;
    file_handle(file_handle&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
    file_handle& operator=(file_handle&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~file_handle() {
        if (number_ >= 0) ::close(number_);
    }

    bool is_open() const { return number_ >= 0; }
    // False at once where another handle has the lock. The system lets go of it when its owner ends.
    bool lock() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }
    // Is it this file that has the name now?
    bool is_named(std::filesystem::path const& path) const {
        struct ::stat own{}, named{};
        return ::fstat(number_, &own) == 0 && ::lstat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
               own.st_ino == named.st_ino;
    }
    // Waits until what was written is on the disk; true, too, where a file system has no such thing.
    bool flush() const {
        while (::fsync(number_) != 0)
            if (errno != EINTR) return errno == EINVAL || errno == ENOTSUP;
        return true;
    }

private:
    int number_ = -1;
};

// The writer of a file holds a lock on it. Numbers are tried from 0, and of those in use a file that nobody has locked was left
// by a writer that ended: it is removed, so that such files don't pile up. On file systems without locks it stays.
class replacement {
public:
    // Is not open where no file can be made there. `is_private`: nobody else may read it.
    replacement(std::filesystem::path const& target, bool is_private) : target_{target} {
        constexpr int most = 1000;
        int number = 0;
        while (number < most && !file_.is_open()) {
            path_ = path_beside(target_, std::to_string(number));
            file_handle made(path_, O_RDWR | O_CREAT | O_EXCL, is_private ? 0600 : 0666);
            if (made.is_open()) {
                bool const is_taken = !made.lock() && errno == EWOULDBLOCK; // by a writer that took it for one that was left
                if (!is_taken && made.is_named(path_)) file_ = std::move(made);
            } else if (errno != EEXIST) {
                return;
            } else if (!remove_left(path_)) {
                ++number;
            }
        }
        while (remove_left(path_beside(target_, std::to_string(++number)))) {} // of writers that ended at the same time
    }
    replacement(replacement const&) = delete;
    replacement& operator=(replacement const&) = delete;
    ~replacement() {
        if (file_.is_open()) ::unlink(path_.c_str());
    }

    bool is_open() const { return file_.is_open(); }
    std::filesystem::path const& path() const { return path_; }
    // Puts what was written there in the target's place. Where it returns false, the target may be either, but is whole.
    bool take_place() {
        if (!file_.flush() || ::rename(path_.c_str(), target_.c_str()) != 0) return false;
        file_ = {};
        // The name is on the disk when the folder is. A folder that may be written to, but not read, can't be waited for.
        file_handle const folder(target_.has_parent_path() ? target_.parent_path() : ".", O_RDONLY | O_DIRECTORY);
        return !folder.is_open() || folder.flush();
    }

private:
    static bool remove_left(std::filesystem::path const& path) {
        file_handle const left(path, O_RDWR | O_NOFOLLOW);
        return left.is_open() && left.lock() && left.is_named(path) && ::unlink(path.c_str()) == 0;
    }

    std::filesystem::path target_, path_;
    file_handle file_;
};

#else

// Without locks and without waiting for the disk.
class replacement {
public:
    replacement(std::filesystem::path const& target, bool)
        : target_{target}, path_{path_beside(target, std::to_string(std::random_device{}()))} {}
    replacement(replacement const&) = delete;
    replacement& operator=(replacement const&) = delete;
    ~replacement() {
        std::error_code none;
        if (!path_.empty()) std::filesystem::remove(path_, none);
    }

    bool is_open() const { return true; }
    std::filesystem::path const& path() const { return path_; }
    bool take_place() {
        std::error_code problem;
        std::filesystem::rename(path_, target_, problem);
        if (!problem) path_.clear();
        return !problem;
    }

private:
    std::filesystem::path target_, path_;
};

#endif

} // namespace tx::detail
