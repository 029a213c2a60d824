package io.lampone.benchmarks.load;

import io.lampone.benchmarks.load.LoadPlan.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.tm.StartBlock;
import io.lampone.protocol.tm.StatusSource.Status;
import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import io.lampone.protocol.wire.Capabilities;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import io.lampone.protocol.wire.Priority;
import io.lampone.protocol.wire.Replies;
import io.lampone.protocol.wire.Requests;
import io.lampone.protocol.wire.WireReply;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Thread that keeps {@link #FRAMES} frames outstanding on one connection. Reads and writes block:
 * the replies to so few frames fit into the socket buffers, so that the server never stops reading.
 */
final class RawConnection implements AutoCloseable, Replies.Handler {

  /** Outstanding frames. */
  static final int FRAMES = 4;

  private static final int READ_BYTES = 1 << 20;

  private static final long[] NO_KEYS = {};

  private final SocketChannel channel;
  private final TransactionPool pool;
  private final RawTarget target;
  private final Clock clock;
  private final FrameWriter writer = new FrameWriter();
  private final Frame[] frames = new Frame[FRAMES];
  private final Thread thread;

  /** Released when a phase is to begin. */
  private final Semaphore phaseBegins = new Semaphore(0);

  /** Latch for the end of a phase, for the thread that stops it. */
  private volatile CountDownLatch phaseEnded = new CountDownLatch(0);

  /** Counts of the present phase; replaced by {@link #reset}, filled by this thread only. */
  private volatile PhaseCounts counts = new PhaseCounts();

  /** Cause of the end of the thread before {@link #close}. */
  private volatile @Nullable Exception failure;

  private volatile Phase phase = Phase.BEGIN;
  private volatile boolean stopping;
  private volatile boolean closed;

  // The thread only, from here on.

  /** Received bytes, up to its position. */
  private ByteBuffer in = ByteBuffer.allocate(READ_BYTES);

  /** Bytes at its start that have been handed out. */
  private int consumed;

  private long nextId = 1;
  private long voteTimestamp = 1;
  private long turn;
  private long nowNanos;
  private PhaseCounts counting = counts;

  RawConnection(
      InetSocketAddress address,
      TransactionPool pool,
      int clientsPerFrame,
      int number,
      Clock clock,
      RawTarget target)
      throws IOException {
    this.target = target;
    this.pool = pool;
    this.clock = clock;
    this.turn = (long) number << 40 | (long) number * 7919;
    this.channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    int allowed = greet();
    for (int i = 0; i < FRAMES; i++) {
      frames[i] = new Frame(Math.min(clientsPerFrame, allowed));
    }
    thread = new Thread(this::run, "lampone-raw-load-" + number);
    thread.setDaemon(true);
    thread.start();
  }

  /** Clients of which each has one request in the frame, begin and validation by turns. */
  private static final class Frame {

    /** Begins whose transactions are validated next; null = begins. */
    private final @Nullable Begin[] begun;

    private final long[][] writes;
    private long firstId;
    private long sentNanos;
    private int unanswered;
    private int begins;
    private int validations;

    Frame(int clients) {
      begun = new Begin[clients];
      writes = new long[clients][];
    }
  }

  void start(Phase started) {
    phase = started;
    stopping = false;
    phaseEnded = new CountDownLatch(failure == null ? 1 : 0);
    phaseBegins.release();
  }

  void reset() {
    counts = new PhaseCounts();
  }

  /**
   * Ends the phase and returns its counts.
   *
   * @throws IOException if the connection did not last
   */
  PhaseCounts stop() throws IOException, InterruptedException {
    PhaseCounts last = counts;
    counts = new PhaseCounts(); // for outstanding frames
    stopping = true;
    phaseEnded.await();
    if (failure != null) {
      throw new IOException("the load ended with a connection: " + failure.getMessage(), failure);
    }
    return last;
  }

  @Override
  public void close() {
    closed = true;
    stopping = true;
    phaseBegins.release();
    try {
      channel.close();
    } catch (IOException e) {
      // No loss: the thread ends either way.
    }
  }

  private int greet() throws IOException {
    new Handshake.Hello(
            FrameLayout.LOWEST_VERSION,
            FrameLayout.VERSION,
            Capabilities.OWNERSHIP | Capabilities.ASSIGNED | Capabilities.BUCKETS,
            Bytes.EMPTY)
        .writeTo(writer);
    write(writer.finish());
    FrameReader answer = readFrame();
    if (answer.kind() == FrameKind.REJECT) {
      throw new IOException(
          "the transaction manager refuses, text=" + Handshake.Reject.readFrom(answer).text());
    }
    if (answer.kind() == FrameKind.CHALLENGE) {
      throw new IOException("the raw client supports no secrets; use --client library");
    }
    return Handshake.Welcome.readFrom(answer).maxMessages();
  }

  private void run() {
    try {
      while (!closed) {
        phaseBegins.acquire();
        if (!closed) {
          runPhase();
        }
      }
    } catch (IOException | RuntimeException e) {
      failure = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      phaseEnded.countDown();
    }
  }

  private void runPhase() throws IOException {
    for (Frame frame : frames) {
      Arrays.fill(frame.begun, null);
      send(frame);
    }
    int underWay = FRAMES;
    while (underWay > 0) {
      FrameReader reply = readFrame();
      nowNanos = clock.monotonicNanos();
      counting = counts;
      Replies.read(reply, this);
      for (Frame frame : frames) {
        if (frame.unanswered == 0 && frame.firstId != 0) {
          if (stopping) {
            frame.firstId = 0;
            underWay--;
          } else {
            send(frame);
          }
        }
      }
    }
    phaseEnded.countDown();
  }

  private void send(Frame frame) throws IOException {
    frame.firstId = nextId;
    frame.begins = 0;
    frame.validations = 0;
    writer.start(FrameKind.REQUESTS);
    for (int i = 0; i < frame.begun.length; i++) {
      Begin begun = frame.begun[i];
      if (target.votes()) {
        Requests.vote(writer, nextId++, Priority.DEFAULT, nextVote(pool.writes(turn++)));
        frame.validations++;
      } else if (begun != null) {
        long[] writes = frame.writes[i];
        Requests.validate(writer, nextId++, Priority.DEFAULT, request(begun, writes));
        frame.validations++;
      } else {
        frame.writes[i] = pool.writes(turn++);
        Requests.begin(writer, nextId++, Priority.DEFAULT);
        frame.begins++;
      }
    }
    frame.unanswered = frame.begun.length;
    frame.sentNanos = clock.monotonicNanos();
    write(writer.finish());
  }

  private Validator.Request request(Begin begun, long[] writes) {
    return target.mapVersion() == 0
        ? new Validator.Request(begun.startTimestamp(), begun.grant(), true, writes, writes)
        : new Validator.Request(
            begun.startTimestamp(),
            begun.grant(),
            true,
            NO_KEYS,
            NO_KEYS,
            new Validator.Terms(true, false, target.mapVersion()));
  }

  /** Returns a vote on a transaction that overlaps no other one. */
  private Validator.Vote nextVote(long[] writes) {
    long start = voteTimestamp++;
    Tag pass = Proofs.OPEN.pass(start, voteTimestamp);
    return new Validator.Vote(
        new Validator.Assignment(start, voteTimestamp, pass),
        target.incarnation(),
        start,
        0,
        writes,
        writes);
  }

  @Override
  public void begun(long id, Begin begin) {
    Frame frame = frameOf(id);
    int client = (int) (id - frame.firstId);
    boolean commits = phase == Phase.PAIR && frame.writes[client].length > 0;
    frame.begun[client] = commits ? begin : null;
    answered(frame);
  }

  @Override
  public void passed(long id, long commitTimestamp, Tag proof) {
    ended(id);
  }

  @Override
  public void assigned(long id, long commitTimestamp, Tag proof) {
    ended(id);
  }

  @Override
  public void voted(long id) {
    ended(id);
  }

  @Override
  public void held(long id, int checkIndex, long startTimestamp) {
    ended(id);
  }

  @Override
  public void conflict(long id, int checkIndex, long winnerCommitTimestamp) {
    counting.conflict();
    ended(id);
  }

  @Override
  public void refused(long id, Validator.Reason reason, int retryAfterMillis) {
    unexecuted(id);
  }

  @Override
  public void failed(long id, WireReply.Failure failure, int retryAfterMillis) {
    unexecuted(id);
  }

  @Override
  public void status(long id, Status status) {
    throw new IllegalStateException("unexpected status, id=" + id);
  }

  @Override
  public void progressed(long id, StartBlock block) {
    throw new IllegalStateException("no progress was reported, id=" + id);
  }

  private void unexecuted(long id) {
    counting.failed();
    Frame frame = frameOf(id);
    if (frame.begun[(int) (id - frame.firstId)] != null) {
      frame.validations--;
    } else {
      frame.begins--;
    }
    ended(id);
  }

  private void ended(long id) {
    Frame frame = frameOf(id);
    frame.begun[(int) (id - frame.firstId)] = null;
    answered(frame);
  }

  /** Counts all requests of a frame together: their latencies are equal. */
  private void answered(Frame frame) {
    frame.unanswered--;
    if (frame.unanswered == 0) {
      long nanos = nowNanos - frame.sentNanos;
      counting.begun(nanos, frame.begins);
      counting.validated(nanos, frame.validations);
    }
  }

  private Frame frameOf(long id) {
    for (Frame frame : frames) {
      if (id >= frame.firstId && id - frame.firstId < frame.begun.length) {
        return frame;
      }
    }
    throw new IllegalStateException("a reply to no request, id=" + id);
  }

  private FrameReader readFrame() throws IOException {
    in.flip().position(consumed);
    in.compact();
    consumed = 0;
    while (true) {
      int available = in.position();
      if (available >= FrameLayout.HEAD_BYTES) {
        int length = in.getInt(0) + FrameLayout.HEAD_BYTES;
        if (length > in.capacity()) {
          in = ByteBuffer.allocate(length).put(in.flip());
        }
        if (available >= length) {
          consumed = length;
          return FrameReader.open(in.duplicate().limit(length).position(0));
        }
      }
      fill();
    }
  }

  private void fill() throws IOException {
    if (channel.read(in) < 0) {
      throw new EOFException("the transaction manager has closed the connection");
    }
  }

  private void write(ByteBuffer frame) throws IOException {
    while (frame.hasRemaining()) {
      channel.write(frame);
    }
  }
}
