package io.lampone.cluster;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.apache.hadoop.fs.FSError;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.permission.FsPermission;
import org.jspecify.annotations.Nullable;

/**
 * Local files whose writer detects a takeover by another process before it acknowledges a write
 * that the takeover may miss.
 *
 * <p>HBase renames the log folder of a dead region server before it replays it, and relies on the
 * file system to keep a paused server from adding entries: HDFS revokes the lease. Local files have
 * none. There a server that resumes continues to write into the moved file, acknowledges, and the
 * write is lost. So here each flush checks, after it has written, that the file is still at its
 * original path. If it is, any move comes later, the recovering server reads the file later still,
 * and finds the write; if it is not, the flush fails.
 *
 * <p>A writer that has failed once, for example on a full disk, fails from then on, like one of
 * HDFS. Hadoop's own local files throw an error that HBase's log does not expect; the log continues
 * behind half a record as soon as there is room, and later entries are unreadable.
 */
final class FencedFiles extends RawLocalFileSystem {

  FencedFiles() {}

  @Override
  protected OutputStream createOutputStreamWithMode(
      Path path, boolean append, FsPermission permission) throws IOException {
    return new Fenced(
        super.createOutputStreamWithMode(path, append, permission), pathToFile(path).toPath());
  }

  private static final class Fenced extends FilterOutputStream
      implements Syncable, StreamCapabilities {

    private final java.nio.file.Path path;
    private final Object identity;

    /** Failure after which no write succeeds; of the log's writer, one thread at a time. */
    private volatile @Nullable IOException broken;

    private Fenced(OutputStream target, java.nio.file.Path path) throws IOException {
      super(target);
      this.path = path;
      this.identity =
          Objects.requireNonNull(
              identity(path), () -> "files have no identity on this system, path=" + path);
    }

    private static @Nullable Object identity(java.nio.file.Path path) throws IOException {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      carryOut(() -> out.write(bytes, offset, length));
    }

    @Override
    public void flush() throws IOException {
      carryOut(out::flush);
    }

    @Override
    public void hflush() throws IOException {
      carryOut(
          () -> {
            if (out instanceof Syncable syncable) {
              syncable.hflush();
            } else {
              out.flush();
            }
            requireOurs();
          });
    }

    @Override
    public void hsync() throws IOException {
      carryOut(
          () -> {
            if (out instanceof Syncable syncable) {
              syncable.hsync();
            } else {
              out.flush();
            }
            requireOurs();
          });
    }

    private interface Step {
      void run() throws IOException;
    }

    private void carryOut(Step step) throws IOException {
      IOException before = broken;
      if (before != null) {
        throw new IOException("could not be written before, path=" + path, before);
      }
      try {
        step.run();
      } catch (FSError e) {
        IOException failure = new IOException("cannot be written, path=" + path, e);
        broken = failure;
        throw failure;
      } catch (IOException e) {
        broken = e;
        throw e;
      }
    }

    @Override
    public boolean hasCapability(String capability) {
      return out instanceof StreamCapabilities capable && capable.hasCapability(capability);
    }

    private void requireOurs() throws IOException {
      if (!Files.exists(path) || !identity.equals(identity(path))) {
        throw new IOException(
            "this file has been moved, as the log of a dead server is: what is"
                + " written to it may not be found, path="
                + path);
      }
    }
  }
}
