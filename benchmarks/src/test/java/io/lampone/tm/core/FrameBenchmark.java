package io.lampone.tm.core;

import io.lampone.protocol.Timestamps;
import io.lampone.protocol.time.SystemClock;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.oracle.TimestampAllocator;
import io.lampone.tm.core.validation.BatchOutcome;
import io.lampone.tm.core.validation.BucketOwners;
import io.lampone.tm.core.validation.ConflictTable;
import io.lampone.tm.core.validation.DecisionCache;
import io.lampone.tm.core.validation.TransactionManagerCore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Processing of frames by the transaction manager, without a network: check and read a frame,
 * decide, write the answering frame. An operation is a pair: a begin, and the commit request of a
 * transaction that began a frame before and wrote two cells at conflict level CELL.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(
    value = 2,
    jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseSerialGC"})
public class FrameBenchmark {

  private static final int PAIRS = 64;
  private static final int HASHES = 4;
  private static final Duration AHEAD = Duration.ofHours(6);

  /** Number of hashes in the conflict table, which is full. */
  @Param("4194304")
  public int keys;

  private final SplittableRandom random = new SplittableRandom(1);
  private final FrameWriter client = new FrameWriter();
  private final RequestCursor requests = new RequestCursor(PAIRS);
  private final ReplyWriter replies = new ReplyWriter(Proofs.OPEN);
  private final ByteBuffer answers = ByteBuffer.allocateDirect(ReplyWriter.maxFrameBytes(PAIRS));
  private TransactionManagerCore core;
  private ByteBuffer begins;
  private ByteBuffer begun;
  private ByteBuffer validations = ByteBuffer.allocate(0);

  /** Begins an epoch whose conflict table is full. */
  @Setup
  public void begin() {
    long first = TimestampAllocator.firstAfter(0, SystemClock.INSTANCE);
    ConflictTable conflicts = new ConflictTable(keys);
    for (int i = 0; i < keys; i++) {
      conflicts.record(random.nextLong(), i * Timestamps.TICK);
    }
    long bound = TimestampAllocator.boundAhead(first, AHEAD);
    core =
        TransactionManagerCore.of(
            new TimestampAllocator(SystemClock.INSTANCE, first, bound, AHEAD),
            conflicts,
            new DecisionCache(Math.max(keys / HASHES, PAIRS)),
            new BucketOwners(),
            first,
            first,
            Proofs.OPEN);
    client.start(FrameKind.REQUESTS);
    for (int i = 0; i < PAIRS; i++) {
      new WireRequest.Begin(i).writeTo(client);
    }
    begins = copy(client.finish());
    begun = copy(answer(begins));
  }

  /** Writes the requests that follow the last answered begins. */
  @Setup(Level.Invocation)
  public void prepareValidations() {
    client.start(FrameKind.REQUESTS);
    for (WireReply reply : WireReply.readBatch(FrameReader.open(begun))) {
      long start = ((WireReply.Begun) reply).begin().startTimestamp();
      long[] check = random.longs(HASHES).toArray();
      long[] record = {check[0], random.nextLong(), check[2], random.nextLong()};
      new WireRequest.Validate(
              reply.id(),
              new Validator.Request(start, Proofs.OPEN.grant(start, 0), true, check, record))
          .writeTo(client);
    }
    validations = copy(client.finish());
  }

  /** A frame of commit requests and a frame of begins. */
  @Benchmark
  @OperationsPerInvocation(PAIRS)
  public ByteBuffer pairs() {
    answer(validations);
    begun.clear().put(answer(begins)).flip();
    return begun;
  }

  /** Returns true if the transactions pass: refusals are cheaper. */
  boolean allPass() {
    prepareValidations();
    return WireReply.readBatch(FrameReader.open(answer(validations))).stream()
        .allMatch(
            reply ->
                reply instanceof WireReply.Validated validated
                    && validated.validation() instanceof Validator.Validation.Passed);
  }

  private ByteBuffer answer(ByteBuffer frame) {
    requests.open(frame.duplicate(), 0);
    replies.start(answers.clear());
    if (!(core.handle(requests, replies) instanceof BatchOutcome.Answered)) {
      throw new IllegalStateException("not answered, requests=" + requests.count());
    }
    int bytes = replies.finish();
    return answers.position(0).limit(bytes);
  }

  /** Copies a frame to a direct buffer, as Netty provides. */
  private static ByteBuffer copy(ByteBuffer frame) {
    return ByteBuffer.allocateDirect(frame.remaining()).put(frame).flip();
  }
}
