package io.lampone.tm;

import io.lampone.protocol.tm.TimestampOracle.Begin;
import io.lampone.protocol.tm.Validator;
import io.lampone.protocol.wire.FrameKind;
import io.lampone.protocol.wire.FrameLayout;
import io.lampone.protocol.wire.WireReply;
import io.lampone.protocol.wire.WireRequest;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** One client that sends valid or changed frames, each on the same connection as long as it can. */
final class FrameAttacker {

  /** Odd: hashes of different starts differ in all bytes, so no changed one is that of another. */
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  private static final int SILENCE_MILLIS = 5;

  private final int port;
  private final Random random;
  private final Map<String, Long> outcomes = new TreeMap<>();
  private long nextId;

  FrameAttacker(int port, long seed) {
    this.port = port;
    this.random = new Random(seed);
  }

  /**
   * Sends this many frames.
   *
   * @param nanosPerFrame the mean time that each takes at least, 0 = as fast as the server answers
   * @return how many ended in which way
   */
  Map<String, Long> send(int frames, boolean change, long nanosPerFrame) throws IOException {
    long began = System.nanoTime();
    int sent = 0;
    while (sent < frames) {
      try (FrameSocket socket = new FrameSocket(port)) {
        socket.greet();
        nextId = 1;
        Begin begin = ((WireReply.Begun) socket.begin(nextId)).begin();
        if (change) {
          socket.timeout(SILENCE_MILLIS);
        }
        for (boolean open = true; open && sent < frames; sent++) {
          pause(began + sent * nanosPerFrame - System.nanoTime());
          byte[] frame = valid(socket, begin);
          open = deliver(socket, change ? changed(frame) : frame);
        }
      }
    }
    return outcomes;
  }

  private static void pause(long nanos) {
    if (nanos > 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(nanos);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Says whether the connection can be used for another frame. */
  private boolean deliver(FrameSocket socket, byte[] frame) {
    String outcome;
    try {
      socket.send(frame);
      socket.receive();
      outcome = "answered";
    } catch (SocketTimeoutException e) {
      outcome = "waited for";
    } catch (IOException e) {
      outcome = "ended";
    }
    outcomes.merge(outcome, 1L, Long::sum);
    return outcome.equals("answered");
  }

  private byte[] valid(FrameSocket socket, Begin begin) {
    nextId++;
    switch (random.nextInt(4)) {
      case 0 -> {
        socket.writer().start(FrameKind.REQUESTS);
        new WireRequest.Begin(nextId).writeTo(socket.writer());
      }
      case 1 -> {
        socket.writer().start(FrameKind.REQUESTS);
        new WireRequest.Status(nextId, begin.startTimestamp(), 0).writeTo(socket.writer());
      }
      default -> {
        return validation(socket, nextId, begin, random.nextInt(20));
      }
    }
    return socket.frame();
  }

  static byte[] validation(FrameSocket socket, long id, Begin begin, int hashes) {
    long[] all = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      all[i] = (begin.startTimestamp() + i) * SPREAD;
    }
    socket.writer().start(FrameKind.REQUESTS);
    Validator.Request request =
        new Validator.Request(begin.startTimestamp(), begin.grant(), true, all, all);
    new WireRequest.Validate(id, request).writeTo(socket.writer());
    return socket.frame();
  }

  private byte[] changed(byte[] frame) {
    if (random.nextBoolean()) {
      return FrameSocket.seal(lie(frame));
    }
    int at = random.nextInt(frame.length + 1);
    return switch (random.nextInt(5)) {
      case 0 -> Arrays.copyOf(frame, at);
      case 1 -> at < FrameLayout.BODY_OFFSET ? frame : FrameSocket.seal(Arrays.copyOf(frame, at));
      case 2 -> FrameSocket.seal(Arrays.copyOf(frame, frame.length + 1 + random.nextInt(64)));
      case 3 -> {
        if (at < frame.length) {
          frame[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
        yield frame;
      }
      default -> {
        byte[] noise = new byte[FrameLayout.BODY_OFFSET + random.nextInt(200)];
        random.nextBytes(noise);
        noise[FrameLayout.KIND_OFFSET] = (byte) random.nextInt(FrameKind.values().length + 3);
        yield FrameSocket.seal(noise);
      }
    };
  }

  /** Changes one field or byte behind the head. */
  private byte[] lie(byte[] frame) {
    int at =
        FrameLayout.KIND_OFFSET
            + random.nextInt(Math.max(1, frame.length - FrameLayout.KIND_OFFSET));
    if (random.nextBoolean() || at + Long.BYTES > frame.length) {
      frame[at] = (byte) random.nextInt();
      return frame;
    }
    ByteBuffer buffer = ByteBuffer.wrap(frame);
    long field = buffer.getLong(at);
    long[] numbers = {
      0, -1, 1, Long.MAX_VALUE, Long.MIN_VALUE, field + 256, field - 256, random.nextLong(),
    };
    buffer.putLong(at, numbers[random.nextInt(numbers.length)]);
    return frame;
  }
}
