package io.lampone.protocol.trust;

import static io.lampone.protocol.trust.Proofs.Verdict.FORGED;
import static io.lampone.protocol.trust.Proofs.Verdict.UNKNOWN_TERM;
import static io.lampone.protocol.trust.Proofs.Verdict.VALID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Decoder;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProofsTest {

  private static final long START = 1_795_469_059_858_000_128L;
  private static final long COMMIT = START + 5 * Timestamps.TICK;
  private static final long TERM = 1L << 46;

  private final Proofs proofs = new Proofs(keyOf(1));
  private final Proofs others = new Proofs(keyOf(2));

  @Test
  void grant_ofAnotherKeyOrRange_isForged() {
    Grant grant = proofs.grant(START, 10);

    assertThat(proofs.verify(grant)).isEqualTo(VALID);
    assertThat(others.verify(grant)).isEqualTo(FORGED);
    assertThat(proofs.verify(new Grant(START, 11, grant.secret()))).isEqualTo(FORGED);
    assertThat(proofs.verify(new Grant(START - Timestamps.TICK, 10, grant.secret())))
        .isEqualTo(FORGED);
    assertThat(proofs.verify(new Grant(START, 10, Tag.NONE))).isEqualTo(FORGED);
  }

  @Test
  void inspection_ofAnotherKeyHolderOrTime_isForged() {
    long expires = START / 1_000_000;
    InspectionPass pass = proofs.inspection("alice", expires);

    assertThat(proofs.verify(pass)).isEqualTo(VALID);
    assertThat(others.verify(pass)).isEqualTo(FORGED);
    assertThat(proofs.verify(new InspectionPass("alice", expires + 1, pass.tag())))
        .isEqualTo(FORGED);
    assertThat(proofs.verify(new InspectionPass("bob", expires, pass.tag()))).isEqualTo(FORGED);
    assertThat(proofs.verify(new InspectionPass("alice", expires, Tag.NONE))).isEqualTo(FORGED);
    assertThat(new Proofs(term -> Optional.empty()).verify(pass)).isEqualTo(UNKNOWN_TERM);
    assertThat(InspectionPass.decode(pass.encode().toArray())).isEqualTo(pass);
    assertThat(InspectionPass.isNone(pass.encode().toArray())).isFalse();
    assertThat(InspectionPass.isNone(InspectionPass.none())).isTrue();
  }

  @Test
  void inspection_isInTimeForAnHour_andForNoLonger() {
    long expires = START / 1_000_000;
    InspectionPass pass = proofs.inspection("alice", expires);
    long hour = InspectionPass.LONGEST.toMillis();

    assertThat(pass.isInTime(expires - 1)).isTrue();
    assertThat(pass.isInTime(expires)).isFalse();
    assertThat(pass.isInTime(expires - hour)).isTrue();
    assertThat(pass.isInTime(expires - hour - 61_000)).isFalse();
  }

  @Test
  void inspection_withAnImpossibleHolderOrTime_isMalformed() {
    for (String holder : List.of("", "x".repeat(InspectionPass.MAX_HOLDER + 1))) {
      assertThatThrownBy(() -> proofs.inspection(holder, 1)).isInstanceOf(MalformedException.class);
    }
    for (long expires : new long[] {0, -1, Long.MAX_VALUE, Long.MAX_VALUE / 1_000_000 + 1}) {
      assertThatThrownBy(() -> proofs.inspection("alice", expires))
          .isInstanceOf(MalformedException.class);
    }
    byte[] bytes = proofs.inspection("alice", 1).encode().toArray();
    for (int length = 0; length < bytes.length; length++) {
      byte[] part = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> InspectionPass.decode(part)).isInstanceOf(MalformedException.class);
    }
    assertThatThrownBy(() -> InspectionPass.decode(new byte[1 << 20]))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void grant_coversItsTicksOnly() {
    Grant grant = proofs.grant(START, 2);

    assertThat(grant.covers(START)).isTrue();
    assertThat(grant.covers(START + 2 * Timestamps.TICK)).isTrue();
    assertThat(grant.covers(START + 1)).isFalse();
    assertThat(grant.covers(START - Timestamps.TICK)).isFalse();
    assertThat(grant.covers(START + 3 * Timestamps.TICK)).isFalse();
    assertThat(new Grant(START, Integer.MAX_VALUE, Tag.NONE).covers(Long.MAX_VALUE - 255))
        .isFalse();
    assertThat(new Grant(Long.MIN_VALUE, 1, Tag.NONE).covers(START)).isFalse();
    assertThatThrownBy(() -> new Grant(START, -1, Tag.NONE)).isInstanceOf(MalformedException.class);
  }

  @Test
  void grant_encodedAndDecoded_isTheSame() {
    Grant grant = proofs.grant(START, 77);
    Encoder out = new Encoder(Grant.BYTES);
    grant.write(out);

    assertThat(out.size()).isEqualTo(Grant.BYTES);
    assertThat(Grant.read(new Decoder(out.toByteArray()))).isEqualTo(grant);
    assertThat(grant.toString()).doesNotContain(Long.toString(grant.secret().first()));
  }

  @Test
  void statement_ofAnotherTransaction_isForged() {
    Tag pass = proofs.pass(START, COMMIT);
    assertThat(proofs.verifyPass(START, COMMIT, pass)).isEqualTo(VALID);
    assertThat(proofs.verifyPass(START, COMMIT + Timestamps.TICK, pass)).isEqualTo(FORGED);
    assertThat(proofs.verifyPass(START + Timestamps.TICK, COMMIT, pass)).isEqualTo(FORGED);
    assertThat(others.verifyPass(START, COMMIT, pass)).isEqualTo(FORGED);

    Tag voided = proofs.voided(START);
    assertThat(proofs.verifyVoid(START, voided)).isEqualTo(VALID);
    assertThat(proofs.verifyVoid(COMMIT, voided)).isEqualTo(FORGED);
    assertThat(proofs.verifyVoid(START, pass)).isEqualTo(FORGED);
  }

  @Test
  void issueProof_ofAnotherTimestampOrKey_isForged() {
    Grant grant = proofs.grant(START, 3);
    IssueProof.Begun begun = IssueProof.Begun.of(grant);
    assertThat(proofs.verify(begun)).isEqualTo(VALID);
    assertThat(begun.upTo()).isEqualTo(START + 3 * Timestamps.TICK);
    assertThat(others.verify(begun)).isEqualTo(FORGED);
    assertThat(proofs.verify(new IssueProof.Begun(START, 4, begun.shade()))).isEqualTo(FORGED);

    long version = START + 130;
    IssueProof.Marked marked = new IssueProof.Marked(version, proofs.mark(version));
    assertThat(proofs.verify(marked)).isEqualTo(VALID);
    assertThat(marked.upTo()).isEqualTo(START);
    assertThat(others.verify(marked)).isEqualTo(FORGED);
    assertThat(proofs.verify(new IssueProof.Marked(version + 256, marked.tag()))).isEqualTo(FORGED);

    IssueProof.Passed passed = new IssueProof.Passed(START, COMMIT, proofs.pass(START, COMMIT));
    assertThat(proofs.verify(passed)).isEqualTo(VALID);
    assertThat(passed.upTo()).isEqualTo(COMMIT);
    assertThat(proofs.verify(new IssueProof.Passed(START, COMMIT + 256, passed.pass())))
        .isEqualTo(FORGED);

    assertThat(proofs.verify(IssueProof.NONE)).isEqualTo(FORGED);
    assertThat(IssueProof.NONE.upTo()).isZero();
  }

  /** A client that shows when it began must not hand out the transaction itself. */
  @Test
  void shade_isNotTheSecret() {
    Grant grant = proofs.grant(START, 0);
    long shade = IssueProof.Begun.of(grant).shade();

    assertThat(shade).isNotIn(grant.secret().first(), grant.secret().second());
    assertThat(proofs.verify(new Grant(START, 0, new Tag(shade, 0)))).isEqualTo(FORGED);
  }

  /** Whatever range is made up, it shows nothing that the timestamp line does not have. */
  @Test
  void issueProof_ofAnEndlessRange_showsNothing() {
    assertThat(new IssueProof.Begun(Long.MAX_VALUE - 255, Integer.MAX_VALUE, 0).upTo())
        .isNegative();
    assertThatThrownBy(() -> new IssueProof.Begun(START, -1, 0))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void fate_ofAnotherTransactionLeaderOrOutcome_isForged() {
    RowFamily leader = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));
    TransactionId id = new TransactionId(START, leader);
    Fate committed = new Fate(START + 512, proofs.fate(id, START + 512));
    assertThat(proofs.verifyFate(id, committed)).isEqualTo(VALID);
    assertThat(proofs.verifyFate(id, new Fate(0, proofs.fate(id, 0)))).isEqualTo(VALID);
    for (long other : List.of(0L, START + 256)) {
      assertThat(proofs.verifyFate(id, new Fate(other, committed.tag()))).isEqualTo(FORGED);
    }
    for (RowFamily other :
        List.of(
            new RowFamily("t", Bytes.utf8("rf"), Bytes.EMPTY),
            new RowFamily("tr", Bytes.EMPTY, Bytes.utf8("f")),
            new RowFamily("u", Bytes.utf8("r"), Bytes.utf8("f")))) {
      assertThat(proofs.verifyFate(new TransactionId(START, other), committed)).isEqualTo(FORGED);
    }
    assertThat(proofs.verifyFate(new TransactionId(START + 256, leader), committed))
        .isEqualTo(FORGED);
    assertThat(others.verifyFate(id, committed)).isEqualTo(FORGED);
    assertThat(new Proofs(term -> Optional.empty()).verifyFate(id, committed))
        .isEqualTo(UNKNOWN_TERM);
  }

  @Test
  void verify_withoutTheKeysOfTheTerm_isUnknown() {
    Proofs none = new Proofs(term -> Optional.empty());

    assertThat(none.verify(proofs.grant(START, 0))).isEqualTo(UNKNOWN_TERM);
    assertThat(none.verifyPass(START, COMMIT, proofs.pass(START, COMMIT))).isEqualTo(UNKNOWN_TERM);
    assertThatThrownBy(() -> none.pass(START, COMMIT)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void termKeys_sentToAnotherServer_makeTheSameProofs() {
    TermKeys keys = keyOf(1).keys(TermKeys.termOf(START)).orElseThrow();
    Proofs server = new Proofs(term -> Optional.of(new TermKeys(keys.key())));

    assertThat(server.verify(proofs.grant(START, 3))).isEqualTo(VALID);
    assertThat(keys.toString()).isEqualTo("TermKeys");
  }

  @Test
  void keys_ofAnotherTerm_areOthers() {
    ClusterKey key = keyOf(1);
    int term = TermKeys.termOf(START);

    assertThat(TermKeys.termOf(START + TERM)).isEqualTo(term + 1);
    assertThat(key.keys(term).orElseThrow().key())
        .isNotEqualTo(key.keys(term + 1).orElseThrow().key());
  }

  private static ClusterKey keyOf(int seed) {
    byte[] bytes = new byte[ClusterKey.BYTES];
    bytes[0] = (byte) seed;
    return new ClusterKey(Bytes.wrap(bytes));
  }
}
