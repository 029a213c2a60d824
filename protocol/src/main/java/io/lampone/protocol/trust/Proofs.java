package io.lampone.protocol.trust;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Creates and verifies proofs (protocol page, section 13). Each is a keyed hash of its statement
 * under the key for its use; any holder of the keys can verify it without a call to another server.
 *
 * <pre>
 *   grant   own    first:i64 span:i32                           this holder owns the starts it covers
 *   pass    pass   1:u8 start:i64 commit:i64                    validated: may commit at this timestamp
 *   void    pass   3:u8 start:i64                               will never pass: may be aborted
 *   healed  pass   6:u8 start:i64 commit:i64                    every follower has it: may be FINAL
 *   inspect pass   7:u8 expires:i64 holder:text                 may inspect cells until then, in milliseconds
 *   fate    fate   1:u8 start:i64 commit:i64 leader:place       the leader has this outcome; 0 = aborted
 *   table   fate   3:u8 floor:i64 generation:i64 table:place     the generation has this floor
 *   from    fate   4:u8 timestamp:i64 0:i64 place                commits below it show no proof
 *   mark    mark   timestamp:i64                                has been issued; 64 bits
 *   token   token  identifier                                   password of a delegation token; HMAC-SHA256
 * </pre>
 *
 * The term of the keys is that of {@code first} (grant), {@code commit} (pass, healed), {@code
 * start} (void, fate) or {@code timestamp}; for tokens it is the term of the time of issue, for
 * inspection passes that of the expiry. The <em>shade</em> of a grant is an unkeyed hash of its
 * secret: it proves that the starts were issued, and authorizes nothing.
 */
public final class Proofs {

  /** Proofs without a cluster key: same code, no protection. */
  public static final Proofs OPEN = new Proofs(ClusterKey.OPEN);

  private static final SipHash.Key SHADE =
      new SipHash.Key("lampone shade 01".getBytes(StandardCharsets.US_ASCII));
  private static final int FATE = 1;
  private static final int HIDDEN = 2;
  private static final int GENERATION = 3;
  private static final int PROOFS_FROM = 4;

  private final KeyRing ring;

  /** The result of a verification. */
  public enum Verdict {
    VALID,
    /** The tag belongs to another statement or another key. */
    FORGED,
    /** The server does not have the keys of that term, not yet or no longer. */
    UNKNOWN_TERM
  }

  public Proofs(KeyRing ring) {
    this.ring = ring;
  }

  /** Returns a minter, which creates tags of grants, passes and voids without allocation. */
  public Minter minter() {
    return new Minter(ring);
  }

  /** Returns true if there is no cluster key, so that any program can create proofs. */
  public boolean isOpen() {
    return ring == ClusterKey.OPEN;
  }

  /**
   * Creates a grant for the global timestamps from {@code first} on.
   *
   * @throws IllegalStateException if the keys of the term are unknown; so do the other creators
   */
  public Grant grant(long first, int span) {
    Minter minter = minter();
    minter.grant(first, span);
    return new Grant(first, span, minter.tag());
  }

  /** Verifies that a transaction manager created the grant. */
  public Verdict verify(Grant grant) {
    return verdict(
        with(grant.first()).map(one -> one.grant(grant.first(), grant.span()).secret()),
        grant.secret());
  }

  /** States that a transaction has been validated. */
  public Tag pass(long start, long commit) {
    Minter minter = minter();
    minter.pass(start, commit);
    return minter.tag();
  }

  /** Verifies a {@link #pass}. */
  public Verdict verifyPass(long start, long commit, Tag tag) {
    return verdict(with(commit).map(one -> one.pass(start, commit)), tag);
  }

  /** States that a transaction never passes. */
  public Tag voided(long start) {
    Minter minter = minter();
    minter.voided(start);
    return minter.tag();
  }

  /** Verifies a {@link #voided}. */
  public Verdict verifyVoid(long start, Tag tag) {
    return verdict(with(start).map(one -> one.voided(start)), tag);
  }

  /** States that every follower of a committed transaction has been healed. */
  public Tag healed(long start, long commit) {
    Minter minter = minter();
    minter.healed(start, commit);
    return minter.tag();
  }

  /** Verifies a {@link #healed}. */
  public Verdict verifyHealed(long start, long commit, Tag tag) {
    return verdict(with(commit).map(one -> one.healed(start, commit)), tag);
  }

  /** States that a timestamp, or the tick in which it was drawn, has been issued. */
  public long mark(long timestamp) {
    Minter minter = minter();
    minter.mark(timestamp);
    return minter.first();
  }

  /** Returns the shade of a grant's secret. */
  static long shade(Tag secret) {
    Encoder message = new Encoder(Tag.BYTES);
    secret.write(message);
    return SipHash.tag(SHADE, message.toByteArray()).first();
  }

  /** Verifies that the timestamp was issued; {@link IssueProof#NONE} is never valid. */
  public Verdict verify(IssueProof proof) {
    if (proof instanceof IssueProof.Passed passed) {
      return verifyPass(passed.start(), passed.commit(), passed.pass());
    }
    if (proof instanceof IssueProof.Begun begun) {
      return verdict(
          with(begun.first()).map(one -> shade(one.grant(begun.first(), begun.span()).secret())),
          begun.shade());
    }
    return proof instanceof IssueProof.Marked marked
        ? verdict(with(marked.timestamp()).map(one -> one.mark(marked.timestamp())), marked.tag())
        : Verdict.FORGED;
  }

  private static Verdict verdict(Optional<Long> expected, long shown) {
    if (expected.isEmpty()) {
      return Verdict.UNKNOWN_TERM;
    }
    return expected.get() == shown ? Verdict.VALID : Verdict.FORGED;
  }

  /**
   * States the outcome that the leader of a transaction holds.
   *
   * @param commit the commit timestamp; 0 = aborted
   */
  public Tag fate(TransactionId id, long commit) {
    return fateTag(id, commit)
        .orElseThrow(() -> new IllegalStateException("no keys, timestamp=" + id.startTimestamp()));
  }

  /** Verifies a {@link #fate}. */
  public Verdict verifyFate(TransactionId id, Fate fate) {
    return verdict(fateTag(id, fate.commitTimestamp()), fate.tag());
  }

  /**
   * Returns an alias of a transaction's leader that hides its place: a place in no table.
   *
   * @throws IllegalStateException if the keys of the term are unknown
   */
  public TransactionId hidden(TransactionId id) {
    Tag name = tag(HIDDEN, id, 0).orElseThrow(() -> new IllegalStateException("no keys, id=" + id));
    Encoder row = new Encoder(Tag.BYTES);
    name.write(row);
    return new TransactionId(
        id.startTimestamp(), new RowFamily("", Bytes.wrap(row.toByteArray()), Bytes.EMPTY));
  }

  /**
   * States the floor of a generation of a table; region servers store it for each other. Empty
   * without the keys.
   */
  public Optional<Tag> generation(String table, long generation, long floor) {
    RowFamily place = new RowFamily(table, Bytes.EMPTY, Bytes.EMPTY);
    return tag(GENERATION, new TransactionId(floor, place), generation);
  }

  /** Verifies a {@link #generation}. */
  public Verdict verifyGeneration(String table, long generation, long floor, Tag tag) {
    return verdict(generation(table, generation, floor), tag);
  }

  /**
   * States the commit timestamp from which on stored leaders show a proof.
   *
   * @throws IllegalStateException if the keys of the term are unknown
   */
  public ProofsFrom proofsFrom(long timestamp) {
    return new ProofsFrom(
        timestamp,
        tag(PROOFS_FROM, fromId(timestamp), 0)
            .orElseThrow(() -> new IllegalStateException("no keys, timestamp=" + timestamp)));
  }

  /** Verifies a {@link #proofsFrom}. */
  public Verdict verify(ProofsFrom from) {
    return verdict(tag(PROOFS_FROM, fromId(from.timestamp()), 0), from.tag());
  }

  private static TransactionId fromId(long timestamp) {
    return new TransactionId(timestamp, new RowFamily("", Bytes.EMPTY, Bytes.EMPTY));
  }

  /**
   * Returns the password of a delegation token, 32 bytes. Empty without the keys of the term of
   * issue, and without a cluster key, because any program could then compute it.
   */
  public Optional<Bytes> tokenPassword(DelegationToken token) {
    return isOpen()
        ? Optional.empty()
        : ring.keys(token.term())
            .map(keys -> Bytes.wrap(TermKeys.hmac(keys.token, token.encode().unsafeArray())));
  }

  /**
   * States that cells may be inspected as they are stored.
   *
   * @param holder the holder of the pass
   * @param expiresMillis end of validity, in milliseconds since 1970
   * @throws IllegalStateException if the keys of the term are unknown
   */
  public InspectionPass inspection(String holder, long expiresMillis) {
    InspectionPass unsigned = new InspectionPass(holder, expiresMillis, Tag.NONE);
    Tag tag =
        unsigned
            .tagOf(ring)
            .orElseThrow(() -> new IllegalStateException("no keys, expires=" + expiresMillis));
    return new InspectionPass(holder, expiresMillis, tag);
  }

  /** Verifies the tag of an {@link #inspection}; does not check its expiry. */
  public Verdict verify(InspectionPass pass) {
    return verdict(pass.tagOf(ring), pass.tag());
  }

  /** Returns true if this server has the keys of statements about starts at {@code start}. */
  public boolean knowsTerm(long start) {
    return ring.keys(TermKeys.termOf(start)).isPresent();
  }

  private Optional<Tag> fateTag(TransactionId id, long commit) {
    return tag(FATE, id, commit);
  }

  private Optional<Tag> tag(int kind, TransactionId id, long commit) {
    long start = id.startTimestamp();
    return ring.keys(TermKeys.termOf(start))
        .map(
            keys ->
                SipHash.tag(
                    keys.fate,
                    new Encoder(96)
                        .u8(kind)
                        .i64(start)
                        .i64(commit)
                        .place(id.leader())
                        .toByteArray()));
  }

  /** Returns proofs with the keys of one term, looked up once; empty without them. */
  private Optional<Proofs> with(long timestamp) {
    Optional<TermKeys> keys = ring.keys(TermKeys.termOf(timestamp));
    return keys.isEmpty() ? Optional.empty() : Optional.of(new Proofs(term -> keys));
  }

  private static Verdict verdict(Optional<Tag> expected, Tag shown) {
    if (expected.isEmpty()) {
      return Verdict.UNKNOWN_TERM;
    }
    return expected.get().matches(shown) ? Verdict.VALID : Verdict.FORGED;
  }
}
