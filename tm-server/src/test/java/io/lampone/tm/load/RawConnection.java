package io.lampone.tm.load;

import io.lampone.protocol.wire.FrameReader;
import io.lampone.protocol.wire.FrameWriter;
import io.lampone.protocol.wire.Handshake;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/**
 * One connection of a client that costs next to nothing: it writes frames of requests and looks
 * through frames of replies without making an object. Every frame holds the same number of begins,
 * and validations of most of the transactions that the frame answered before has begun.
 */
final class RawConnection implements AutoCloseable {

  private static final int HEAD_BYTES = 13;
  private static final int BUFFER_BYTES = 1 << 20;

  private final SocketChannel channel;
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).limit(0);
  private final CRC32C crc = new CRC32C();
  private final SplittableRandom random;
  private static final int GRANT_BYTES = 28;

  private final int beginsPerFrame;
  private final int hashes;
  private final long keys;

  /** Start timestamps that wait for their validation. */
  private final long[] started;

  /** The grant of these, as it came and as it is sent but for the first byte. */
  private final byte[] grant = new byte[GRANT_BYTES];

  private int startedCount;
  private long nextId;

  /** What has come back. */
  private long begun;

  private long passed;
  private long conflicts;
  private long others;

  /**
   * Connects and introduces itself.
   *
   * @param hashes to check, and to record, in a validation; 0 for begins only
   * @param keys different hashes in all
   */
  RawConnection(int port, int beginsPerFrame, int hashes, long keys, long seed) throws IOException {
    this.beginsPerFrame = beginsPerFrame;
    this.hashes = hashes;
    this.keys = keys;
    this.random = new SplittableRandom(seed);
    this.started = new long[beginsPerFrame];
    channel = SocketChannel.open(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    FrameWriter writer = new FrameWriter();
    Handshake.Hello.current().writeTo(writer);
    channel.write(writer.finish());
    ByteBuffer welcome = receive();
    Handshake.Welcome.readFrom(FrameReader.open(welcome));
  }

  long begun() {
    return begun;
  }

  long passed() {
    return passed;
  }

  long conflicts() {
    return conflicts;
  }

  long others() {
    return others;
  }

  /** Sends a frame; returns the number of requests in it. */
  int send() throws IOException {
    out.clear().position(HEAD_BYTES);
    int count = 0;
    boolean granted = false;
    for (int i = 0; i < startedCount && hashes > 0; i++) {
      if (i % 10 == 0) {
        continue; // a transaction that only reads asks nobody
      }
      if (!granted) {
        granted = true;
        out.put((byte) 9).put(grant);
      }
      validate(started[i]);
      count++;
    }
    startedCount = 0;
    for (int i = 0; i < beginsPerFrame; i++) {
      out.put((byte) 1).putLong(nextId++);
      count++;
    }
    int end = out.position();
    out.put(8, (byte) 4).putInt(9, count).putInt(0, end - 8);
    crc.reset();
    crc.update(out.limit(end).position(8));
    out.putInt(4, (int) crc.getValue()).position(0);
    while (out.hasRemaining()) {
      channel.write(out);
    }
    return count;
  }

  /** Waits for a frame of replies and looks through it. */
  void await() throws IOException {
    ByteBuffer frame = receive();
    int at = frame.position() + HEAD_BYTES;
    for (int left = frame.getInt(frame.position() + 9); left > 0; left--) {
      if (frame.get(at) == 16) {
        frame.get(at + 1, grant);
        at += 1 + GRANT_BYTES;
      }
      switch (frame.get(at)) {
        case 1 -> {
          begun++;
          started[startedCount++] = frame.getLong(at + 9);
          at += 25;
        }
        case 2 -> {
          passed++;
          at += 33;
        }
        case 3 -> {
          conflicts++;
          at += 21;
        }
        default -> {
          others++;
          at += 14;
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void validate(long startTimestamp) {
    out.put((byte) 2).putLong(nextId++).putLong(startTimestamp).put((byte) 5);
    out.putInt(hashes).putInt(hashes);
    int at = out.position();
    for (int i = 0; i < hashes; i++) {
      // As good as a hash: a bijection of the number of the key.
      long hash = random.nextLong(keys) * 0x9e3779b97f4a7c15L;
      out.putLong(at + i * Long.BYTES, hash).putLong(at + (hashes + i) * Long.BYTES, hash);
    }
    out.position(at + 2 * hashes * Long.BYTES);
  }

  /** The next frame, from position to limit of what is returned; holds until the next one. */
  private ByteBuffer receive() throws IOException {
    int bytes = frameBytes();
    while (bytes < 0 || in.remaining() < bytes) {
      in.compact();
      if (channel.read(in) < 0) {
        throw new IOException("connection closed by the server");
      }
      in.flip();
      bytes = frameBytes();
    }
    ByteBuffer frame = in.slice(in.position(), bytes);
    in.position(in.position() + bytes);
    return frame;
  }

  private int frameBytes() {
    return in.remaining() < Integer.BYTES ? -1 : in.getInt(in.position()) + 8;
  }
}
