package io.lampone.embedded;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The local disk under a separate scheme, with slow and stalled reads and writes. HBase
 * instantiates it, so the test controls it by static fields.
 */
public final class SlowFileSystem extends RawLocalFileSystem {

  static final String SCHEME = "slow";

  private static final URI NAME_OF_ALL = URI.create(SCHEME + ":///");

  /** One operation in so many takes some milliseconds. */
  private static final int SLOW_IN = 20;

  private static final long LONGEST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** One operation in so many stalls. */
  private static final int STALLS_IN = 1_000;

  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private static final AtomicLong DELAYED = new AtomicLong();

  // Written by the test before it begins and when it ends; guarded by the class.
  private static SplittableRandom random = new SplittableRandom(0);
  private static boolean slow;

  /** Slows the disk down from now on; the seed draws the slow operations. */
  static synchronized void begin(long seed) {
    random = new SplittableRandom(seed);
    slow = true;
  }

  static synchronized void end() {
    slow = false;
  }

  /** Operations that have been held up. */
  static long delayed() {
    return DELAYED.get();
  }

  private static synchronized long draw() {
    if (!slow) {
      return 0;
    }
    if (random.nextInt(STALLS_IN) == 0) {
      return STALL_NANOS;
    }
    return random.nextInt(SLOW_IN) == 0 ? random.nextLong(LONGEST_DELAY_NANOS) : 0;
  }

  private static void takeTime() {
    long nanos = draw();
    if (nanos > 0) {
      DELAYED.incrementAndGet();
      LockSupport.parkNanos(nanos);
    }
  }

  @Override
  public String getScheme() {
    return SCHEME;
  }

  @Override
  public URI getUri() {
    return NAME_OF_ALL;
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return withPermission(super.getFileStatus(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return Arrays.stream(super.listStatus(path))
        .map(SlowFileSystem::withPermission)
        .toArray(FileStatus[]::new);
  }

  /** Hadoop would request it with a path of its own scheme. */
  private static FileStatus withPermission(FileStatus status) {
    return new FileStatus(
        status.getLen(),
        status.isDirectory(),
        status.getReplication(),
        status.getBlockSize(),
        status.getModificationTime(),
        status.getAccessTime(),
        FsPermission.getDirDefault(),
        "",
        "",
        status.getPath());
  }

  @Override
  public FSDataInputStream open(Path path, int bufferBytes) throws IOException {
    return new FSDataInputStream(new SlowInput(super.open(path, bufferBytes)));
  }

  @Override
  protected OutputStream createOutputStreamWithMode(
      Path path, boolean append, FsPermission permission) throws IOException {
    return new SlowOutput(super.createOutputStreamWithMode(path, append, permission));
  }

  private static final class SlowInput extends FSInputStream {
    private final FSDataInputStream file;

    SlowInput(FSDataInputStream file) {
      this.file = file;
    }

    @Override
    public void seek(long position) throws IOException {
      file.seek(position);
    }

    @Override
    public long getPos() throws IOException {
      return file.getPos();
    }

    @Override
    public boolean seekToNewSource(long target) {
      return false;
    }

    @Override
    public int read() throws IOException {
      return file.read();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      takeTime();
      return file.read(buffer, offset, length);
    }

    @Override
    public int read(long position, byte[] buffer, int offset, int length) throws IOException {
      takeTime();
      return file.read(position, buffer, offset, length);
    }

    @Override
    public int available() throws IOException {
      return file.available();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private static final class SlowOutput extends FilterOutputStream {
    SlowOutput(OutputStream file) {
      super(file);
    }

    @Override
    public void write(byte[] buffer, int offset, int length) throws IOException {
      takeTime();
      out.write(buffer, offset, length);
    }
  }
}
