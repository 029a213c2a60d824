package io.lampone.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** The local disk as {@code full:}, on which no file grows beyond {@code test.full.bytes}. */
public final class FullDisk extends RawLocalFileSystem {

  @Override
  public URI getUri() {
    return URI.create("full:///");
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return limited(
        super.create(file, permission, overwrite, bufferSize, replication, blockSize, progress));
  }

  @Override
  public FSDataOutputStream create(
      Path file,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return limited(super.create(file, overwrite, bufferSize, replication, blockSize, progress));
  }

  private FSDataOutputStream limited(OutputStream file) throws IOException {
    return new FSDataOutputStream(
        new FilterOutputStream(file) {
          private long left = getConf().getLong("test.full.bytes", 0);

          @Override
          public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            left -= length;
            if (left < 0) {
              throw new IOException("No space left on device");
            }
            out.write(bytes, offset, length);
          }
        },
        null);
  }
}
