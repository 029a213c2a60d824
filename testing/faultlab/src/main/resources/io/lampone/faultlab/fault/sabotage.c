/*
 * Stands in front of the C library in a server of the torture lab (LD_PRELOAD), and spoils its wall
 * clock and its disk while the server runs. What is spoilt stands in a file of eight numbers of 64
 * bits that the lab writes (LAMPONE_SABOTAGE), which is mapped:
 *
 *    0  version          odd while the next three are being changed
 *    8  clock offset     nanoseconds that are added to the wall clock
 *   16  clock drift      and further millionths of the time that has passed
 *   24  drifting since   on the monotonic clock, nanoseconds
 *   32  sync delay       microseconds before each fsync
 *   40  write delay      microseconds before each write to a file
 *   48  room             bytes that may still be written to files; negative: as many as one likes
 *   56  spoilt           how many calls were refused or delayed; written here, read by the lab
 *
 * The monotonic clock is left alone, and so are timed waits, which Java does by that clock (but for
 * those until a time of day: they wait by the true wall clock). Standard output and error are left
 * alone: logs must tell what happened.
 *
 * Besides, if LAMPONE_UNDO names a folder: before a write to a file below LAMPONE_UNDO_OF what it
 * overwrites is kept in undo/DEVICE-INODE, and thrown away when the file has been synced. Whoever
 * kills the process and then puts back what is kept there has cut its power: contents that were not
 * synced are lost. Names of files are not: a file that was made, renamed or removed stays so.
 *
 *   an entry: path length, offset, length before, length of the old bytes, when on the monotonic
 *   clock (64 bits each), path, bytes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { VERSION, OFFSET, DRIFT, SINCE, SYNC_DELAY, WRITE_DELAY, ROOM, SPOILT, FIELDS };

#define NANOS 1000000000LL
#define MICROS 1000000LL

static volatile int64_t *state;
static const char *undo_folder;
static const char *undo_of;
static pthread_mutex_t undo_lock = PTHREAD_MUTEX_INITIALIZER;

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwrite64)(int, const void *, size_t, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate64)(int, off64_t);

/* Libraries that are loaded before this one may call it before its constructor has run. */
__attribute__((constructor)) static void begin(void) {
  if (real_clock_gettime != NULL) {
    return;
  }
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  real_write = dlsym(RTLD_NEXT, "write");
  real_writev = dlsym(RTLD_NEXT, "writev");
  real_pwrite64 = dlsym(RTLD_NEXT, "pwrite64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate64 = dlsym(RTLD_NEXT, "ftruncate64");
  undo_folder = getenv("LAMPONE_UNDO");
  undo_of = getenv("LAMPONE_UNDO_OF");
  const char *name = getenv("LAMPONE_SABOTAGE");
  if (name == NULL) {
    return;
  }
  int fd = open(name, O_RDWR);
  if (fd < 0) {
    return;
  }
  void *mapped = mmap(NULL, FIELDS * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) {
    state = mapped;
  }
}

/* ---------------------------------------------------------------- the wall clock */

/* How wrong the wall clock is now. The three numbers are read together, or again. */
static int64_t wrong_by(void) {
  if (state == NULL) {
    return 0;
  }
  int64_t offset, drift, since, version;
  do {
    version = __atomic_load_n(&state[VERSION], __ATOMIC_ACQUIRE);
    offset = state[OFFSET];
    drift = state[DRIFT];
    since = state[SINCE];
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } while ((version & 1) != 0 || version != state[VERSION]);
  if (drift == 0) {
    return offset;
  }
  struct timespec now;
  real_clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t passed = now.tv_sec * NANOS + now.tv_nsec - since;
  /* In parts, so that days do not overflow. */
  return offset + passed / MICROS * drift + passed % MICROS * drift / MICROS;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  begin();
  int result = real_clock_gettime(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t wrong = time->tv_nsec + wrong_by();
    int64_t seconds = wrong / NANOS;
    int64_t nanos = wrong % NANOS;
    if (nanos < 0) {
      nanos += NANOS;
      seconds--;
    }
    time->tv_sec += seconds;
    time->tv_nsec = nanos;
  }
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  if (result == 0) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return result;
}

time_t time(time_t *stored) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (stored != NULL) {
    *stored = now.tv_sec;
  }
  return now.tv_sec;
}

/* ---------------------------------------------------------------- the disk */

static int is_file(int fd) {
  struct stat64 found;
  return fd > 2 && fstat64(fd, &found) == 0 && S_ISREG(found.st_mode);
}

static void spoilt(void) { __atomic_add_fetch(&state[SPOILT], 1, __ATOMIC_RELAXED); }

static void pause_micros(int64_t micros) {
  struct timespec left = {micros / MICROS, micros % MICROS * 1000};
  spoilt();
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

/* How many of so many bytes may be written now; negative if none: the disk is full. */
static ssize_t admitted(int fd, size_t length) {
  if (state == NULL || (state[WRITE_DELAY] <= 0 && state[ROOM] < 0) || !is_file(fd)) {
    return length;
  }
  if (state[WRITE_DELAY] > 0) {
    pause_micros(state[WRITE_DELAY]);
  }
  int64_t room = __atomic_load_n(&state[ROOM], __ATOMIC_RELAXED);
  while (room >= 0) {
    int64_t part = room < (int64_t)length ? room : (int64_t)length;
    if (part == 0 && length > 0) {
      spoilt();
      errno = ENOSPC;
      return -1;
    }
    if (__atomic_compare_exchange_n(
            &state[ROOM], &room, room - part, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return part;
    }
  }
  return length;
}

/* ---------------------------------------------------------------- what a power cut takes */

static int undo_file(int fd, char *name, size_t size, char *path, size_t path_size) {
  struct stat64 found;
  if (undo_folder == NULL || undo_of == NULL || fd <= 2 || fstat64(fd, &found) != 0 ||
      !S_ISREG(found.st_mode)) {
    return 0;
  }
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, path_size - 1);
  if (length < 0) {
    return 0;
  }
  path[length] = 0;
  if (strncmp(path, undo_of, strlen(undo_of)) != 0) {
    return 0;
  }
  snprintf(name, size, "%s/%llx-%llx", undo_folder, (unsigned long long)found.st_dev,
           (unsigned long long)found.st_ino);
  return 1;
}

/*
 * Keeps what lies in the file from offset on, and how long the file is. If that cannot be kept, the
 * lab must not believe what it would put back: the process ends.
 */
static void keep(int fd, int64_t offset, size_t length) {
  char name[PATH_MAX];
  char path[PATH_MAX];
  if (!undo_file(fd, name, sizeof name, path, sizeof path)) {
    return;
  }
  struct stat64 found;
  fstat64(fd, &found);
  int64_t before = found.st_size;
  /* Nothing lies behind its end, nor in a gap that a write leaves there. */
  int64_t old = offset < before ? before - offset : 0;
  if (old > (int64_t)length) {
    old = length;
  }
  struct timespec now;
  real_clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t nanos = now.tv_sec * NANOS + now.tv_nsec;
  int64_t head[5] = {(int64_t)strlen(path), offset, before, old, nanos};
  size_t size = sizeof head + head[0] + old;
  char *entry = malloc(size);
  if (entry == NULL) {
    abort();
  }
  memcpy(entry, head, sizeof head);
  memcpy(entry + sizeof head, path, head[0]);
  /* The process may have opened it for writing only. */
  int reader = open(path, O_RDONLY | O_CLOEXEC);
  if (old > 0 && pread64(reader, entry + sizeof head + head[0], old, offset) != old) {
    abort();
  }
  if (reader >= 0) {
    close(reader);
  }
  int kept = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (kept < 0 || real_write(kept, entry, size) != (ssize_t)size) {
    abort();
  }
  close(kept);
  free(entry);
}

static void forget(int fd) {
  char name[PATH_MAX];
  char path[PATH_MAX];
  if (undo_file(fd, name, sizeof name, path, sizeof path)) {
    unlink(name);
  }
}

static int64_t position(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags >= 0 && (flags & O_APPEND) != 0) {
    struct stat64 found;
    return fstat64(fd, &found) == 0 ? found.st_size : 0;
  }
  return lseek64(fd, 0, SEEK_CUR);
}

/* ---------------------------------------------------------------- the calls */

ssize_t write(int fd, const void *bytes, size_t length) {
  begin();
  ssize_t part = admitted(fd, length);
  if (part < 0) {
    return -1;
  }
  if (undo_folder == NULL || !is_file(fd)) {
    return real_write(fd, bytes, part);
  }
  pthread_mutex_lock(&undo_lock);
  keep(fd, position(fd), part);
  ssize_t result = real_write(fd, bytes, part);
  pthread_mutex_unlock(&undo_lock);
  return result;
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  begin();
  if (count <= 0 || !is_file(fd)) {
    return real_writev(fd, parts, count);
  }
  /* A file may take less than it is given: the caller goes on with the rest. */
  int i = 0;
  while (i < count - 1 && parts[i].iov_len == 0) {
    i++;
  }
  return write(fd, parts[i].iov_base, parts[i].iov_len);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  ssize_t part = admitted(fd, length);
  if (part < 0) {
    return -1;
  }
  if (undo_folder == NULL) {
    return real_pwrite64(fd, bytes, part, offset);
  }
  pthread_mutex_lock(&undo_lock);
  keep(fd, offset, part);
  ssize_t result = real_pwrite64(fd, bytes, part, offset);
  pthread_mutex_unlock(&undo_lock);
  return result;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return pwrite64(fd, bytes, length, offset);
}

int ftruncate64(int fd, off64_t length) {
  if (undo_folder == NULL) {
    return real_ftruncate64(fd, length);
  }
  struct stat64 found;
  pthread_mutex_lock(&undo_lock);
  if (fstat64(fd, &found) == 0) {
    keep(fd, length, found.st_size > length ? found.st_size - length : 0);
  }
  int result = real_ftruncate64(fd, length);
  pthread_mutex_unlock(&undo_lock);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

static int synced(int fd, int (*sync)(int)) {
  if (state != NULL && state[SYNC_DELAY] > 0 && is_file(fd)) {
    pause_micros(state[SYNC_DELAY]);
  }
  if (undo_folder == NULL) {
    return sync(fd);
  }
  /* Nobody writes meanwhile: what is thrown away has been synced. */
  pthread_mutex_lock(&undo_lock);
  int result = sync(fd);
  if (result == 0) {
    forget(fd);
  }
  pthread_mutex_unlock(&undo_lock);
  return result;
}

int fsync(int fd) { return synced(fd, real_fsync); }

int fdatasync(int fd) { return synced(fd, real_fdatasync); }
