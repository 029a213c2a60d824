package io.lampone.protocol.trust;

import io.lampone.protocol.Encoder;
import io.lampone.protocol.RowFamily;
import java.util.Optional;

/**
 * Mints and verifies proofs (protocol page, section 13). Each is a keyed hash of what it states,
 * under the key for its use; any holder of the keys verifies it without asking another server.
 *
 * <pre>
 *   grant   own    first:i64 span:i32                           this holder owns the starts it covers
 *   pass    pass   1:u8 start:i64 commit:i64                    validated: may commit at this timestamp
 *   void    pass   3:u8 start:i64                               will never pass: may be aborted
 *   fate    fate   start:i64 leader:place commit:i64            decided at the leader; 0 = aborted
 *   mark    mark   timestamp:i64                                has been issued, 64 bits
 * </pre>
 *
 * The keys are those of the term of {@code first}, of {@code commit} (pass), of {@code start}
 * (void), of {@code timestamp}; a fate names its term itself, because it may be minted long after.
 */
public final class Proofs {

  /** Without a cluster key: the same code and no protection. */
  public static final Proofs OPEN = new Proofs(ClusterKey.OPEN);

  private final KeyRing ring;

  /** The result of a verification. */
  public enum Verdict {
    VALID,
    /** The tag is of another statement, or of another key. */
    FORGED,
    /** The server does not hold the keys of that term, yet or any more. */
    UNKNOWN_TERM
  }

  /** A fate's tag with the term whose key made it. */
  public record Fate(int term, Tag tag) {}

  public Proofs(KeyRing ring) {
    this.ring = ring;
  }

  /** Makes the tags of grants, passes and voids without an object for each. */
  public Minter minter() {
    return new Minter(ring);
  }

  /** Whether everybody can make proofs, for there is no cluster key. */
  public boolean isOpen() {
    return ring == ClusterKey.OPEN;
  }

  /**
   * A grant for the global timestamps from {@code first} on.
   *
   * @throws IllegalStateException if the keys of the term are not known, as of the other mints
   */
  public Grant grant(long first, int span) {
    Minter minter = minter();
    minter.grant(first, span);
    return new Grant(first, span, minter.tag());
  }

  /** Verifies that a transaction manager made the grant. */
  public Verdict verify(Grant grant) {
    return verdict(
        keys(grant.first()).map(k -> grant(grant.first(), grant.span()).secret()), grant.secret());
  }

  /** States that a transaction has been validated. */
  public Tag pass(long start, long commit) {
    Minter minter = minter();
    minter.pass(start, commit);
    return minter.tag();
  }

  /** Verifies a {@link #pass}. */
  public Verdict verifyPass(long start, long commit, Tag tag) {
    return verdict(keys(commit).map(k -> pass(start, commit)), tag);
  }

  /** States that a transaction never passes. */
  public Tag voided(long start) {
    Minter minter = minter();
    minter.voided(start);
    return minter.tag();
  }

  /** Verifies a {@link #voided}. */
  public Verdict verifyVoid(long start, Tag tag) {
    return verdict(keys(start).map(k -> voided(start)), tag);
  }

  /**
   * States what was decided at a leader.
   *
   * @param term whose key is used: the newest that the server holds
   * @param commit the commit timestamp; 0 = aborted
   */
  public Fate fate(int term, long start, RowFamily leader, long commit) {
    TermKeys keys =
        ring.keys(term).orElseThrow(() -> new IllegalStateException("no keys, term=" + term));
    return new Fate(term, SipHash.tag(keys.fate, fateOf(start, leader, commit)));
  }

  /** Verifies a {@link #fate}. */
  public Verdict verifyFate(long start, RowFamily leader, long commit, Fate fate) {
    return verdict(
        ring.keys(fate.term()).map(k -> SipHash.tag(k.fate, fateOf(start, leader, commit))),
        fate.tag());
  }

  /** States that a timestamp has been issued. */
  public long mark(long timestamp) {
    return SipHash.hash(required(timestamp).mark, bytes(timestamp));
  }

  /** Verifies a {@link #mark}. */
  public Verdict verifyMark(long timestamp, long tag) {
    Optional<TermKeys> keys = keys(timestamp);
    if (keys.isEmpty()) {
      return Verdict.UNKNOWN_TERM;
    }
    return SipHash.hash(keys.get().mark, bytes(timestamp)) == tag ? Verdict.VALID : Verdict.FORGED;
  }

  private Optional<TermKeys> keys(long timestamp) {
    return ring.keys(TermKeys.termOf(timestamp));
  }

  private TermKeys required(long timestamp) {
    return keys(timestamp)
        .orElseThrow(() -> new IllegalStateException("no keys, timestamp=" + timestamp));
  }

  private static Verdict verdict(Optional<Tag> expected, Tag shown) {
    if (expected.isEmpty()) {
      return Verdict.UNKNOWN_TERM;
    }
    return expected.get().matches(shown) ? Verdict.VALID : Verdict.FORGED;
  }

  private static byte[] fateOf(long start, RowFamily leader, long commit) {
    return new Encoder(128).i64(start).place(leader).i64(commit).toByteArray();
  }

  private static byte[] bytes(long timestamp) {
    return new Encoder(Long.BYTES).i64(timestamp).toByteArray();
  }
}
