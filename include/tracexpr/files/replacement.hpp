// This file has a file that is made beside another one and takes its place at once, when it is whole and on the disk. If the
// program or the machine ends before, the other file stays unchanged. It knows nothing of what the files hold.
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

// Gives the path "weights.npz.<mark>.part" for "weights.npz".
inline std::filesystem::path path_beside(std::filesystem::path path, std::string const& mark) {
    return path += "." + mark + ".part";
}

#if defined(__unix__) || defined(__APPLE__)

// file_handle is a file that the system has opened. The handle closes it, and programs that this one starts don't inherit it.
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
    // Locks the file; returns false at once if another handle has the lock. The system releases the lock when its owner ends.
    bool lock() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }
    // Tells whether the path names this file now.
    bool is_named(std::filesystem::path const& path) const {
        struct ::stat own{}, named{};
        return ::fstat(number_, &own) == 0 && ::lstat(path.c_str(), &named) == 0 && own.st_dev == named.st_dev &&
               own.st_ino == named.st_ino;
    }
    // Waits until what was written is on the disk. Returns true, too, if the file system can't tell.
    bool flush() const {
        while (::fsync(number_) != 0)
            if (errno != EINTR) return errno == EINVAL || errno == ENOTSUP;
        return true;
    }

private:
    int number_ = -1;
};

// The writer of a file holds a lock on it. Numbers are tried from 0. A file with a number in use that nobody has locked was left
// by a writer that ended, so it is removed, and such files don't pile up. On file systems without locks it stays.
class replacement {
public:
    // The replacement is not open if no file can be made there. With is_private nobody else may read the file.
    replacement(std::filesystem::path const& target, bool is_private) : target_{target} {
        constexpr int most = 1000;
        int number = 0;
        while (number < most && !file_.is_open()) {
            path_ = path_beside(target_, std::to_string(number));
            file_handle made(path_, O_RDWR | O_CREAT | O_EXCL, is_private ? 0600 : 0666);
            if (made.is_open()) {
                bool const is_taken = !made.lock() && errno == EWOULDBLOCK; // A writer took it for one that was left.
                if (!is_taken && made.is_named(path_)) file_ = std::move(made);
            } else if (errno != EEXIST) {
                return;
            } else if (!remove_left(path_)) {
                ++number;
            }
        }
        while (remove_left(path_beside(target_, std::to_string(++number)))) {} // left by writers that ended at the same time
    }
    replacement(replacement const&) = delete;
    replacement& operator=(replacement const&) = delete;
    ~replacement() {
        if (file_.is_open()) ::unlink(path_.c_str());
    }

    bool is_open() const { return file_.is_open(); }
    std::filesystem::path const& path() const { return path_; }
    // Puts the new file in the target's place. If it returns false, the target may be either file, but is whole.
    bool take_place() {
        if (!file_.flush() || ::rename(path_.c_str(), target_.c_str()) != 0) return false;
        file_ = {};
        // The name is on the disk when the folder is. A folder that may be written to but not read can't be waited for.
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

// This version has no locks and does not wait for the disk.
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
