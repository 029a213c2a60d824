package io.lampone.faultlab.fault;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Writes of a process that were not synced when it died: for each such file the library {@code
 * sabotage.c} has kept the old content. Restoring it, the last one first, leaves the files as a
 * power cut leaves them at worst. Content older than the time in which Linux writes everything back
 * by itself stays.
 */
final class Unsynced {

  /** Length of the path, offset, length of the file before, length of the old bytes, time. */
  private static final int HEAD = 5 * Long.BYTES;

  /** Age at which Linux writes dirty pages back by itself. */
  private static final long WRITTEN_BACK_NANOS = TimeUnit.SECONDS.toNanos(35);

  private Unsynced() {}

  private record Write(Path file, long offset, long lengthBefore, byte[] old, long nanos) {}

  /**
   * Restores all old content.
   *
   * @param kept the folder in which the library has kept it, empty afterwards
   * @param nowNanos on the monotonic clock
   * @return number of writes removed
   */
  static int takeAway(Path kept, long nowNanos) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(kept)) {
      files = all.toList();
    }
    int gone = 0;
    for (Path file : files) {
      List<Write> writes = read(file);
      Collections.reverse(writes);
      for (Write write : writes) {
        if (nowNanos - write.nanos() >= WRITTEN_BACK_NANOS) {
          // All earlier writes were written back, too.
          break;
        }
        gone += takeAway(write, String.valueOf(file.getFileName())) ? 1 : 0;
      }
      Files.delete(file);
    }
    return gone;
  }

  /** Discards the kept content of synced writes; that of concurrent writes stays. */
  static void forget(Path kept) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(kept)) {
      files = all.toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  /** The file may have been removed or replaced since: then nothing of this one is left. */
  private static boolean takeAway(Write write, String name) throws IOException {
    if (!Files.exists(write.file()) || !name.endsWith("-" + inode(write.file()))) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(write.file(), StandardOpenOption.WRITE)) {
      ByteBuffer old = ByteBuffer.wrap(write.old());
      long at = write.offset();
      while (old.hasRemaining()) {
        at += channel.write(old, at);
      }
      long length = channel.size();
      if (length > write.lengthBefore()) {
        channel.truncate(write.lengthBefore());
      }
    }
    return true;
  }

  private static String inode(Path file) throws IOException {
    return Long.toHexString((Long) Files.getAttribute(file, "unix:ino"));
  }

  /** An entry at the end that is not whole belongs to a write that was never begun. */
  private static List<Write> read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.nativeOrder());
    List<Write> writes = new ArrayList<>();
    while (bytes.remaining() >= HEAD) {
      int pathLength = Math.toIntExact(bytes.getLong());
      long offset = bytes.getLong();
      long before = bytes.getLong();
      int oldLength = Math.toIntExact(bytes.getLong());
      long nanos = bytes.getLong();
      if (bytes.remaining() < pathLength + oldLength) {
        break;
      }
      byte[] path = new byte[pathLength];
      byte[] old = new byte[oldLength];
      bytes.get(path).get(old);
      Path named = Path.of(new String(path, StandardCharsets.UTF_8));
      writes.add(new Write(named, offset, before, old, nanos));
    }
    return writes;
  }
}
