package io.lampone.embedded;

import io.lampone.embedded.EmbeddedStartException.Reason;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Data folder of one embedded cluster, held exclusively from {@link #claim} to {@link #close}.
 *
 * <p>The claim is an operating system lock on the file {@code lampone.lock}, which ends with the
 * process; the file itself stays, and its content (the process id of the last owner) only serves
 * error messages.
 */
final class DataDirectory implements Closeable {

  private static final String LOCK_FILE = "lampone.lock";

  /**
   * File that a cluster of processes keeps in its folder, which holds other files in {@code hbase}.
   */
  private static final String CLUSTER_FILE = "cluster.json";

  private final Path root;
  private final FileChannel lockChannel;

  private DataDirectory(Path root, FileChannel lockChannel) {
    this.root = root;
    this.lockChannel = lockChannel;
  }

  static DataDirectory claim(Path directory) throws EmbeddedStartException {
    Path root = directory.toAbsolutePath().normalize();
    if (Files.exists(root.resolve(CLUSTER_FILE))) {
      throw new EmbeddedStartException(
          Reason.DATA_DIRECTORY_IN_USE,
          "The data directory is that of a cluster of processes, which 'lampone cluster start' starts:"
              + " choose another one, directory="
              + root);
    }
    try {
      Files.createDirectories(root);
    } catch (IOException e) {
      throw notWritable(root, "it cannot be created", e);
    }
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              root.resolve(LOCK_FILE),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw notWritable(root, "no file can be created in it", e);
    }
    try {
      lock(root, channel);
      for (String part : new String[] {"zookeeper", "hbase", "tmp"}) {
        Files.createDirectories(root.resolve(part));
      }
      return new DataDirectory(root, channel);
    } catch (EmbeddedStartException e) {
      closeQuietly(channel, e);
      throw e;
    } catch (IOException e) {
      closeQuietly(channel, e);
      throw notWritable(root, "its content cannot be written", e);
    }
  }

  Path root() {
    return root;
  }

  Path zooKeeper() {
    return root.resolve("zookeeper");
  }

  Path hbase() {
    return root.resolve("hbase");
  }

  Path temporary() {
    return root.resolve("tmp");
  }

  @Override
  public void close() throws IOException {
    // Closing the channel releases the lock.
    lockChannel.close();
  }

  private static void lock(Path root, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      throw new EmbeddedStartException(
          Reason.DATA_DIRECTORY_IN_USE,
          "The data directory is in use by another cluster of this process: directory=" + root,
          e);
    }
    if (lock == null) {
      throw new EmbeddedStartException(
          Reason.DATA_DIRECTORY_IN_USE,
          "The data directory is in use by another process: directory="
              + root
              + " pid="
              + readOwner(channel));
    }
    byte[] owner = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII);
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(owner), 0);
  }

  private static String readOwner(FileChannel channel) {
    ByteBuffer buffer = ByteBuffer.allocate(20);
    try {
      channel.read(buffer, 0);
    } catch (IOException e) {
      return "unknown";
    }
    return new String(buffer.array(), 0, buffer.position(), StandardCharsets.US_ASCII);
  }

  private static EmbeddedStartException notWritable(Path root, String what, IOException cause) {
    return new EmbeddedStartException(
        Reason.DATA_DIRECTORY_NOT_WRITABLE,
        "The data directory is not usable, " + what + ": directory=" + root + " cause=" + cause,
        cause);
  }

  private static void closeQuietly(FileChannel channel, Exception primary) {
    try {
      channel.close();
    } catch (IOException e) {
      primary.addSuppressed(e);
    }
  }
}
