package io.lampone.tm.core;

import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.ReplyWriter;
import io.lampone.protocol.wire.RequestCursor;
import io.lampone.protocol.wire.Transfer;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import io.lampone.tm.core.transfer.TransferLink;
import io.lampone.tm.core.transfer.TransferResult;
import io.lampone.tm.core.transfer.TransferSource;
import io.lampone.tm.core.validation.BatchOutcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/**
 * Warms up the code that a backup runs only when it leads: taking an epoch, answering requests,
 * receiving a hand-over and handing over. The JVM loads and compiles classes on first use, which
 * takes tens of milliseconds here; clients would wait for that in the first moments of a new
 * primary. Therefore two isolated nodes with small tables and a private record hand over to each
 * other in memory before the process starts.
 */
public final class DressRehearsal {

  private static final Logger LOG = LoggerFactory.getLogger(DressRehearsal.class);

  /** Number of request frames; code is compiled after some hundred. */
  private static final int FRAMES = 600;

  /** Time limit: a slow machine starts without a complete warm-up. */
  private static final Duration LIMIT = Duration.ofSeconds(1);

  /** Maximum steps of a hand-over; far more than it has parts. */
  private static final int MAX_STEPS = 10_000;

  private static final int CAPACITY = 256;
  private static final int CHUNK = 64;
  private static final int HASHES = 1_024;
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Duration BOUND_AHEAD = Duration.ofSeconds(5);

  private final Clock clock;
  private final RecordStore record = new RecordStore.InMemory();
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final FrameWriter frame = new FrameWriter();
  private final RequestCursor cursor = new RequestCursor(2);
  private final ReplyWriter replies = new ReplyWriter(Proofs.OPEN);
  private final ByteBuffer answer = ByteBuffer.allocate(ReplyWriter.maxFrameBytes(2));

  /** Number of frames answered. */
  private long answered;

  /** The transaction that has begun and is not validated yet. */
  private Optional<Begin> begun = Optional.empty();

  private DressRehearsal(Clock clock) {
    this.clock = clock;
  }

  /**
   * Runs the rehearsal on the caller's thread.
   *
   * @return whether it completed as expected; otherwise the process is merely slower at first
   */
  public static boolean run(Clock clock) {
    try {
      return new DressRehearsal(clock).play();
    } catch (RuntimeException e) {
      // A defect of this code, but it touches no data and must not prevent the start.
      LOG.warn("the rehearsal failed", e);
      return false;
    }
  }

  /**
   * Returns an isolated node with small tables and a private record, for rehearsals.
   *
   * @param loop runs the tasks of the node
   */
  public static ManagerNode hermit(Clock clock, Executor loop) {
    return node("rehearsal", new RecordStore.InMemory(), clock, loop);
  }

  private boolean play() {
    long begunNanos = clock.monotonicNanos();
    ManagerNode first = node("rehearsal-1", record, clock, loop::add);
    ManagerNode second = node("rehearsal-2", record, clock, loop::add);
    first.tick();
    drain();
    second.tick();
    drain();
    for (int i = 0; i < FRAMES; i++) {
      if (clock.monotonicNanos() - begunNanos >= LIMIT.toNanos()) {
        break;
      }
      ask(first, i);
    }
    CompletableFuture<TransferResult> handedOver =
        first.handOver("rehearsal-2", "rehearsal-2", (to, listener) -> new Wire(listener, second));
    for (int i = 0; i < MAX_STEPS && !handedOver.isDone(); i++) {
      first.tick();
      drain();
    }
    long before = answered;
    ask(second, 0);
    return answered > before && handedOver.isDone() && !handedOver.isCompletedExceptionally();
  }

  private static ManagerNode node(String name, RecordStore record, Clock clock, Executor loop) {
    ManagerSettings settings =
        new ManagerSettings(
            name,
            name,
            LEASE,
            LEASE.dividedBy(4),
            BOUND_AHEAD,
            CAPACITY,
            CAPACITY,
            CHUNK,
            Retention.DEFAULT,
            Proofs.OPEN);
    // Role changes of the rehearsal must not appear in the log.
    return new ManagerNode(settings, record, clock, loop, new Audience(), NOPLogger.NOP_LOGGER);
  }

  private void drain() {
    for (Runnable task = loop.poll(); task != null; task = loop.poll()) {
      task.run();
    }
  }

  /** Sends a begin and the validation of the previous begin, as the network would. */
  private void ask(ManagerNode node, int number) {
    frame.start(FrameKind.REQUESTS);
    new WireRequest.Begin(1).writeTo(frame);
    if (begun.isPresent()) {
      long[] hashes = {number % HASHES, number % HASHES + 1};
      Validator.Request request =
          new Validator.Request(
              begun.get().startTimestamp(), begun.get().grant(), true, hashes, hashes);
      new WireRequest.Validate(2, request).writeTo(frame);
    }
    cursor.open(frame.finish(), 0);
    answer.clear();
    replies.start(answer);
    if (node.handle(cursor, replies) instanceof BatchOutcome.Answered) {
      int bytes = replies.finish();
      answer.position(0).limit(bytes);
      for (WireReply reply : WireReply.readBatch(FrameReader.open(answer))) {
        if (reply instanceof WireReply.Begun one) {
          begun = Optional.of(one.begin());
        }
      }
      answered++;
    }
  }

  /** A connection that copies bytes, as the network does, and delivers after the sender's turn. */
  private final class Wire implements TransferLink, TransferSource {

    private final TransferLink.Listener giver;
    private final ManagerNode heir;

    Wire(TransferLink.Listener giver, ManagerNode heir) {
      this.giver = giver;
      this.heir = heir;
      loop.add(() -> giver.opened(Capabilities.ASSIGNED));
    }

    @Override
    public void send(Transfer part) {
      part.writeTo(frame);
      ByteBuffer sent = copy();
      loop.add(() -> heir.receive(this, Transfer.readFrom(FrameReader.open(sent))));
    }

    @Override
    public void reply(Transfer.Reply reply) {
      reply.writeTo(frame);
      ByteBuffer sent = copy();
      loop.add(() -> giver.received(Transfer.Reply.readFrom(FrameReader.open(sent))));
    }

    @Override
    public void close() {
      // There is nothing to close.
    }

    private ByteBuffer copy() {
      ByteBuffer finished = frame.finish();
      ByteBuffer copied = ByteBuffer.allocate(finished.remaining()).put(finished);
      return copied.flip();
    }
  }

  /** Listener that ignores all events. */
  private static final class Audience implements NodeListener {

    @Override
    public void becamePrimary(long epoch) {}

    @Override
    public void sealed() {}

    @Override
    public void unsealed() {}

    @Override
    public void handedOver(String address) {}

    @Override
    public void retired(Retirement retirement) {}
  }
}
