// Loaded before the C library (LD_PRELOAD): whatever a process does to the files below $LYING_DISK is done, and written down in
// $LYING_DISK_LOG, so that a power cut can be played at any moment of it (lying_disk.py).
//
// A record: kind, length of the name, length of the data (32 bits each), offset (64 bits), name, data. A name is that below the folder;
// for a rename the data are the new name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { WRITE = 1, TRUNCATE, SYNC, MAKE, RENAME, DELETE };

static pthread_mutex_t one_by_one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char folder[PATH_MAX];
static size_t folder_length;
static int log_fd = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("LYING_DISK"), *log = getenv("LYING_DISK_LOG");
  if (where == NULL || log == NULL || realpath(where, folder) == NULL) return;
  folder_length = strlen(folder);
  log_fd = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// The name below the folder ("" is the folder itself), or NULL.
static const char *below(const char *path) {
  if (log_fd < 0 || strncmp(path, folder, folder_length) != 0) return NULL;
  if (path[folder_length] == 0) return "";
  return path[folder_length] == '/' ? path + folder_length + 1 : NULL;
}
static const char *name_of(int fd, char *buffer) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = log_fd < 0 ? -1 : readlink(link, buffer, PATH_MAX - 1);
  if (n < 0) return NULL;
  buffer[n] = 0;
  return strstr(buffer, " (deleted)") ? NULL : below(buffer);
}
static const char *name_at(int at, const char *path, char *buffer) {
  if (path[0] == '/') return below(path);
  char base[PATH_MAX];
  if (at == AT_FDCWD) {
    if (getcwd(base, sizeof base) == NULL) return NULL;
  } else {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    const ssize_t n = readlink(link, base, sizeof base - 1);
    if (n < 0) return NULL;
    base[n] = 0;
  }
  if (snprintf(buffer, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return NULL;
  return below(buffer);
}

static void note(enum Kind kind, const char *name, uint64_t offset, const void *data, size_t n) {
  const uint32_t head[3] = {kind, (uint32_t)strlen(name), (uint32_t)n};
  const struct iovec parts[4] = {{(void *)head, sizeof head}, {&offset, sizeof offset}, {(void *)name, head[1]}, {(void *)data, n}};
  if (REAL(writev)(log_fd, parts, 4) < 0) abort();
}

#define LOCKED(result, work)           \
  pthread_mutex_lock(&one_by_one);     \
  result = work;                       \
  pthread_mutex_unlock(&one_by_one);

static int opened(int at, const char *path, int flags, mode_t mode) {
  char buffer[PATH_MAX];
  const char *name = flags & (O_CREAT | O_TRUNC) ? name_at(at, path, buffer) : NULL;
  struct stat found;
  const int was_there = name != NULL && fstatat(at, path, &found, 0) == 0;
  const int fd = REAL(openat)(at, path, flags, mode);
  if (fd >= 0 && name != NULL && !was_there) note(MAKE, name, 0, NULL, 0);
  if (fd >= 0 && name != NULL && was_there && (flags & O_TRUNC)) note(TRUNCATE, name, 0, NULL, 0);
  return fd;
}
#define MODE(flags)                      \
  mode_t mode = 0;                       \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest;                        \
    va_start(rest, flags);               \
    mode = va_arg(rest, mode_t);         \
    va_end(rest);                        \
  }                                      \
  int fd;

int open(const char *path, int flags, ...) {
  MODE(flags)
  LOCKED(fd, opened(AT_FDCWD, path, flags, mode))
  return fd;
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  LOCKED(fd, opened(AT_FDCWD, path, flags | O_LARGEFILE, mode))
  return fd;
}
int openat(int at, const char *path, int flags, ...) {
  MODE(flags)
  LOCKED(fd, opened(at, path, flags, mode))
  return fd;
}
int openat64(int at, const char *path, int flags, ...) {
  MODE(flags)
  LOCKED(fd, opened(at, path, flags | O_LARGEFILE, mode))
  return fd;
}

static ssize_t written(int fd, const void *data, size_t n, off_t offset) {
  char buffer[PATH_MAX];
  const char *name = name_of(fd, buffer);
  if (offset >= 0) {
    const ssize_t done = REAL(pwrite)(fd, data, n, offset);
    if (done > 0 && name != NULL) note(WRITE, name, (uint64_t)offset, data, (size_t)done);
    return done;
  }
  const ssize_t done = REAL(write)(fd, data, n);
  if (done > 0 && name != NULL) note(WRITE, name, (uint64_t)(lseek(fd, 0, SEEK_CUR) - done), data, (size_t)done);
  return done;
}
ssize_t write(int fd, const void *data, size_t n) {
  ssize_t done;
  LOCKED(done, written(fd, data, n, -1))
  return done;
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t offset) {
  ssize_t done;
  LOCKED(done, written(fd, data, n, offset))
  return done;
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t offset) { return pwrite(fd, data, n, offset); }
ssize_t writev(int fd, const struct iovec *parts, int count) {
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
    if (done < 0) return all > 0 ? all : -1;
    all += done;
  }
  return all;
}

static int changed(int fd, int result, enum Kind kind, uint64_t offset) {
  char buffer[PATH_MAX];
  const char *name = result == 0 ? name_of(fd, buffer) : NULL;
  if (name != NULL) note(kind, name, offset, NULL, 0);
  return result;
}
int ftruncate(int fd, off_t size) {
  int result;
  LOCKED(result, changed(fd, REAL(ftruncate)(fd, size), TRUNCATE, (uint64_t)size))
  return result;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int fsync(int fd) {
  int result;
  LOCKED(result, changed(fd, 0, SYNC, 0))  // the cuts are played from the log: nobody need wait for the real disk
  return result;
}
int fdatasync(int fd) { return fsync(fd); }

static int renamed(int from_at, const char *from, int to_at, const char *to) {
  char one[PATH_MAX], two[PATH_MAX];
  const char *old = name_at(from_at, from, one), *new = name_at(to_at, to, two);
  const int result = REAL(renameat)(from_at, from, to_at, to);
  if (result == 0 && old != NULL && new != NULL) note(RENAME, old, 0, new, strlen(new));
  return result;
}
int renameat(int from_at, const char *from, int to_at, const char *to) {
  int result;
  LOCKED(result, renamed(from_at, from, to_at, to))
  return result;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

static int deleted(int at, const char *path, int flags) {
  char buffer[PATH_MAX];
  const char *name = name_at(at, path, buffer);
  const int result = REAL(unlinkat)(at, path, flags);
  if (result == 0 && name != NULL) note(DELETE, name, 0, NULL, 0);
  return result;
}
int unlinkat(int at, const char *path, int flags) {
  int result;
  LOCKED(result, deleted(at, path, flags))
  return result;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
