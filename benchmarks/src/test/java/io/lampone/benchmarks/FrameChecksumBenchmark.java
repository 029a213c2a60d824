package io.lampone.benchmarks;

import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireRequest;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** Cost of completing and opening a frame, which is mostly its checksum. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(2)
public class FrameChecksumBenchmark {

  private static final int MOST_MESSAGES = 1024;

  /** Begins in the frame, 9 bytes each. */
  @Param({"1", "64", "1024"})
  public int messages;

  private final FrameWriter writer = new FrameWriter();
  private final RequestCursor cursor = new RequestCursor(MOST_MESSAGES);
  private ByteBuffer direct;

  /** Writes the frame and copies it to a direct buffer, as Netty provides. */
  @Setup
  public void write() {
    writer.start(FrameKind.REQUESTS);
    for (int i = 0; i < messages; i++) {
      new WireRequest.Begin(i).writeTo(writer);
    }
    ByteBuffer frame = writer.finish();
    direct = ByteBuffer.allocateDirect(frame.remaining()).put(frame).flip();
  }

  /** Writes length, count and checksum of a frame with complete messages. */
  @Benchmark
  public ByteBuffer finish() {
    return writer.finish();
  }

  /** Checks length and checksum of a received frame, and the shape of every request. */
  @Benchmark
  public int open() {
    cursor.open(direct.rewind(), 0);
    return cursor.count();
  }
}
