package io.lampone.tm.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.FrameLayout;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class FrameSplitterTest {

  private static final int LIMIT = 300;

  @Test
  void findsTheSameFramesHoweverTheBytesArrive() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      List<byte[]> frames = new ArrayList<>();
      ByteBuffer stream = ByteBuffer.allocate(20 * LIMIT);
      for (int i = 0; i < 20; i++) {
        byte[] frame = frame(random, FrameLayout.BODY_OFFSET + random.nextInt(round % LIMIT + 1));
        frames.add(frame);
        stream.put(frame);
      }
      stream.flip();
      FrameSplitter cutter = new FrameSplitter();
      cutter.allow(FrameLayout.BODY_OFFSET + LIMIT);
      List<byte[]> found = new ArrayList<>();
      int longest = 1 + random.nextInt(400);
      while (stream.hasRemaining()) {
        byte[] part = new byte[Math.min(stream.remaining(), 1 + random.nextInt(longest))];
        stream.get(part);
        ByteBuf in = buffer(part);
        cutter.add(in);
        while (cutter.next()) {
          found.add(copy(cutter.frame()));
        }
        cutter.finish();
        assertThat(in.refCnt()).as("seed=%d", seed).isZero();
      }
      assertThat(found).as("seed=%d", seed).hasSameSizeAs(frames);
      for (int i = 0; i < frames.size(); i++) {
        assertThat(found.get(i)).as("seed=%d", seed).isEqualTo(frames.get(i));
      }
      cutter.close();
    }
  }

  @Test
  void aFrameThatIsTooLongIsRefusedByItsLengthAlone() {
    for (int length : new int[] {0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, LIMIT - 7}) {

      FrameSplitter cutter = new FrameSplitter();
      cutter.allow(LIMIT);
      byte[] field = ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
      assertThatThrownBy(
              () -> {
                for (byte b : field) {
                  cutter.add(buffer(new byte[] {b}));
                  try {
                    assertThat(cutter.next()).isFalse();
                  } finally {
                    cutter.finish();
                  }
                }
              })
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("length=" + length);
      cutter.close();
    }
  }

  /** However much came with it, and comes while it is still in use. */
  @Test
  void aFrameThatWasGivenAwayStaysAsItIsAndTheOthersFollow() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      List<byte[]> frames = new ArrayList<>();
      ByteBuffer stream = ByteBuffer.allocate(20 * LIMIT);
      for (int i = 0; i < 10; i++) {
        byte[] frame = frame(random, FrameLayout.BODY_OFFSET + random.nextInt(LIMIT));
        frames.add(frame);
        stream.put(frame);
      }
      stream.flip();
      FrameSplitter cutter = new FrameSplitter();
      cutter.allow(FrameLayout.BODY_OFFSET + LIMIT);
      List<ByteBuf> found = new ArrayList<>();
      int longest = 1 + random.nextInt(3 * LIMIT);
      while (stream.hasRemaining() || found.size() < frames.size()) {
        byte[] part = new byte[Math.min(stream.remaining(), 1 + random.nextInt(longest))];
        stream.get(part);
        cutter.add(buffer(part));
        // One at a time: the rest is kept, and what comes meanwhile goes behind it.
        if (random.nextInt(3) > 0 && cutter.next()) {
          found.add(cutter.detach());
        }
        cutter.finish();
      }
      for (int i = 0; i < frames.size(); i++) {
        assertThat(copy(found.get(i).nioBuffer())).as("seed=%d", seed).isEqualTo(frames.get(i));
        assertThat(found.get(i).release()).as("seed=%d", seed).isTrue();
      }
      cutter.close();
    }
  }

  @Test
  void beforeTheHandshakeTheLimitIsLow() {
    FrameSplitter cutter = new FrameSplitter();
    cutter.add(buffer(ByteBuffer.allocate(8).putInt(FrameLayout.MAX_HANDSHAKE_BYTES).array()));
    assertThatThrownBy(cutter::next).isInstanceOf(MalformedException.class);
    cutter.finish();
    cutter.allow(LIMIT * 10);
    cutter.add(buffer(ByteBuffer.allocate(8).putInt(FrameLayout.MAX_HANDSHAKE_BYTES).array()));
    assertThat(cutter.next()).isFalse();
    cutter.finish();
    cutter.close();
  }

  @Test
  void whatCannotBeKeptIsReleased() {
    FrameSplitter cutter = new FrameSplitter();
    FullAllocator allocator = new FullAllocator();
    ByteBuf in = allocator.directBuffer(1).writeBytes(new byte[1]);
    allocator.full = true;
    cutter.add(in);
    assertThat(cutter.next()).isFalse();
    assertThatThrownBy(cutter::finish).isInstanceOf(OutOfMemoryError.class);
    assertThat(in.refCnt()).isZero();
    cutter.close();
  }

  @Test
  void whoeverClosesReleasesWhatIsBeingCutToo() {
    FrameSplitter cutter = new FrameSplitter();
    ByteBuf in = buffer(new byte[1]);
    cutter.add(in);
    cutter.close();
    assertThat(in.refCnt()).isZero();
  }

  /** Has no memory from some moment on. */
  private static final class FullAllocator extends AbstractByteBufAllocator {

    private boolean full;

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (full) {
        throw new OutOfMemoryError("no direct memory");
      }
      return new UnpooledDirectByteBuf(this, initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      throw new AssertionError("frames lie in direct memory");
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }
  }

  private static byte[] frame(Random random, int bytes) {
    byte[] frame = new byte[bytes];
    random.nextBytes(frame);
    ByteBuffer.wrap(frame).putInt(FrameLayout.LENGTH_OFFSET, bytes - FrameLayout.HEAD_BYTES);
    return frame;
  }

  private static ByteBuf buffer(byte[] bytes) {
    return PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
  }

  private static byte[] copy(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }
}
