package io.lampone.protocol;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The 64-bit xxHash function (XXH64) with seed 0, from its public specification. */
public final class XxHash64 {

  private static final long P1 = 0x9E3779B185EBCA87L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P3 = 0x165667B19E3779F9L;
  private static final long P4 = 0x85EBCA77C2B2AE63L;
  private static final long P5 = 0x27D4EB2F165667C5L;
  private static final int STRIPE = 32;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private XxHash64() {}

  /** Returns the hash of some bytes. */
  public static long hash(byte[] input) {
    int position = 0;
    long h;
    if (input.length >= STRIPE) {
      long v1 = 0x60EA27EEADC0B5D6L; // P1 + P2, modulo 2^64
      long v2 = P2;
      long v3 = 0;
      long v4 = -P1;
      for (; position <= input.length - STRIPE; position += STRIPE) {
        v1 = round(v1, (long) LONGS.get(input, position));
        v2 = round(v2, (long) LONGS.get(input, position + 8));
        v3 = round(v3, (long) LONGS.get(input, position + 16));
        v4 = round(v4, (long) LONGS.get(input, position + 24));
      }
      h =
          Long.rotateLeft(v1, 1)
              + Long.rotateLeft(v2, 7)
              + Long.rotateLeft(v3, 12)
              + Long.rotateLeft(v4, 18);
      h = merge(merge(merge(merge(h, v1), v2), v3), v4);
    } else {
      h = P5;
    }
    h += input.length;
    for (; position <= input.length - Long.BYTES; position += Long.BYTES) {
      h = Long.rotateLeft(h ^ round(0, (long) LONGS.get(input, position)), 27) * P1 + P4;
    }
    if (position <= input.length - Integer.BYTES) {
      h ^= ((int) INTS.get(input, position) & 0xffffffffL) * P1;
      h = Long.rotateLeft(h, 23) * P2 + P3;
      position += Integer.BYTES;
    }
    for (; position < input.length; position++) {
      h = Long.rotateLeft(h ^ (input[position] & 0xff) * P5, 11) * P1;
    }
    h = (h ^ h >>> 33) * P2;
    h = (h ^ h >>> 29) * P3;
    return h ^ h >>> 32;
  }

  private static long round(long accumulator, long lane) {
    return Long.rotateLeft(accumulator + lane * P2, 31) * P1;
  }

  private static long merge(long h, long v) {
    return (h ^ round(0, v)) * P1 + P4;
  }
}
