package io.lampone.protocol.trust;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * SipHash-2-4, a keyed 128-bit hash for short messages (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012). Instances are reusable; not thread-safe.
 */
final class SipHash {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int FINAL_ROUNDS = 4;

  private long v0;
  private long v1;
  private long v2;
  private long v3;

  /** Returns the 128-bit hash. */
  static Tag tag(Key key, byte[] message) {
    SipHash hash = new SipHash();
    long first = hash.firstHalf(key, message, message.length);
    return new Tag(first, hash.secondHalf());
  }

  /** Returns the first half of the 128-bit hash, without allocation. */
  long firstHalf(Key key, byte[] message, int length) {
    begin(key);
    v1 ^= 0xee;
    absorb(message, length);
    v2 ^= 0xee;
    return finish();
  }

  /** Returns the second half; must follow {@link #firstHalf}. */
  long secondHalf() {
    v1 ^= 0xdd;
    return finish();
  }

  private void begin(Key key) {
    v0 = key.k0 ^ 0x736f6d6570736575L;
    v1 = key.k1 ^ 0x646f72616e646f6dL;
    v2 = key.k0 ^ 0x6c7967656e657261L;
    v3 = key.k1 ^ 0x7465646279746573L;
  }

  private void absorb(byte[] message, int length) {
    int whole = length & ~(Long.BYTES - 1);
    for (int i = 0; i < whole; i += Long.BYTES) {
      absorb((long) LONGS.get(message, i));
    }
    long last = (long) length << 56;
    for (int i = length - 1; i >= whole; i--) {
      last |= (message[i] & 0xffL) << ((i - whole) * Byte.SIZE);
    }
    absorb(last);
  }

  private void absorb(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private long finish() {
    for (int i = 0; i < FINAL_ROUNDS; i++) {
      round();
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private void round() {
    v0 += v1;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v3;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 += v3;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 += v1;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v2 = Long.rotateLeft(v2, 32);
  }

  /** A 128-bit key; its text form does not contain it. */
  static final class Key {

    private final long k0;
    private final long k1;

    /** Takes the first 16 bytes. */
    Key(byte[] bytes) {
      k0 = (long) LONGS.get(bytes, 0);
      k1 = (long) LONGS.get(bytes, Long.BYTES);
    }

    @Override
    public String toString() {
      return "SipHash.Key";
    }
  }
}
