package io.lampone.protocol.trust;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Creates tags of {@link Proofs} without allocating an object for each, for the event loop of the
 * transaction manager. Not thread-safe.
 */
public final class Minter {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

  private static final byte PASS = 1;
  private static final byte VOID = 3;
  private static final byte HEALED = 6;

  private final KeyRing ring;
  private final SipHash hash = new SipHash();
  private final byte[] message = new byte[1 + 2 * Long.BYTES];

  /** The keys used last; {@link #term} is their term. */
  private @Nullable TermKeys keys;

  private int term;
  private long first;
  private long second;

  public Minter(KeyRing ring) {
    this.ring = ring;
  }

  /**
   * Creates the tag of a {@link Proofs#grant}.
   *
   * @throws IllegalStateException if the keys of the term are unknown; so do the other methods
   */
  public void grant(long firstTimestamp, int span) {
    LONGS.set(message, 0, firstTimestamp);
    INTS.set(message, Long.BYTES, span);
    make(keys(firstTimestamp).own, Long.BYTES + Integer.BYTES);
  }

  /** Creates a {@link Proofs#pass}. */
  public void pass(long start, long commit) {
    message[0] = PASS;
    LONGS.set(message, 1, start);
    LONGS.set(message, 1 + Long.BYTES, commit);
    make(keys(commit).pass, 1 + 2 * Long.BYTES);
  }

  /** Creates a {@link Proofs#healed}. */
  public void healed(long start, long commit) {
    message[0] = HEALED;
    LONGS.set(message, 1, start);
    LONGS.set(message, 1 + Long.BYTES, commit);
    make(keys(commit).pass, 1 + 2 * Long.BYTES);
  }

  /** Creates a {@link Proofs#voided}. */
  public void voided(long start) {
    message[0] = VOID;
    LONGS.set(message, 1, start);
    make(keys(start).pass, 1 + Long.BYTES);
  }

  /** Creates a {@link Proofs#mark}, the first half of the tag. */
  void mark(long timestamp) {
    LONGS.set(message, 0, timestamp);
    make(keys(timestamp).mark, Long.BYTES);
  }

  /** Returns bits 0 to 63 of the last tag. */
  public long first() {
    return first;
  }

  /** Returns bits 64 to 127 of the last tag. */
  public long second() {
    return second;
  }

  /** Returns the last tag. */
  Tag tag() {
    return new Tag(first, second);
  }

  private void make(SipHash.Key key, int length) {
    first = hash.firstHalf(key, message, length);
    second = hash.secondHalf();
  }

  private TermKeys keys(long timestamp) {
    int wanted = TermKeys.termOf(timestamp);
    TermKeys known = keys;
    if (known == null || term != wanted) {
      known =
          ring.keys(wanted)
              .orElseThrow(() -> new IllegalStateException("no keys, timestamp=" + timestamp));
      keys = known;
      term = wanted;
    }
    return known;
  }
}
