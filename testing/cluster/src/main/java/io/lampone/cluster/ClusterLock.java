package io.lampone.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Lock on starting and stopping the processes of a cluster, held from before the list of processes
 * is read. It ends with the process that holds it; the file stays.
 */
public final class ClusterLock implements AutoCloseable {

  static final String NAME = "cluster.lock";

  private final FileChannel channel;

  private ClusterLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Acquires the lock.
   *
   * @throws ClusterException if another process holds it, or the folder cannot be written
   */
  public static ClusterLock take(Path folder) {
    try {
      Files.createDirectories(folder);
      FileChannel channel =
          FileChannel.open(
              folder.resolve(NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      if (isLocked(channel)) {
        return new ClusterLock(channel);
      }
      channel.close();
    } catch (IOException e) {
      throw new ClusterException("not a folder that can be written, folder=" + folder, e);
    }
    throw new ClusterException(
        "another command is starting or stopping this cluster; wait until it has ended, folder="
            + folder);
  }

  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new ClusterException("the cluster's folder cannot be released", e);
    }
  }
}
