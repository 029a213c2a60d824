package io.lampone.protocol.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Tag;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of certifications of ranges. */
class CertifyScanTest {

  private static final long START = 0x1900000000000100L;
  private static final Tag STATEMENT = new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
  private static final String STATEMENT_BYTES = "0102030405060708090a0b0c0d0e0f10";

  /** To a region server that does not know it, it is a read of an unknown format. */
  @Test
  void theyReadBackAsTheyWere_andAreRefusedAsReads() {
    long commit = START + Timestamps.TICK;
    TransactionId met =
        new TransactionId(START, new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")));
    CertifyScan request =
        new CertifyScan(
            new CertifyRequest(
                START,
                commit,
                START,
                ConflictLevel.ROW,
                new IssueProof.Passed(START, commit, STATEMENT)),
            Map.of(met, Fate.INVISIBLE));
    byte[] bytes = request.encode();
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "0b"
                + "1900000000000100"
                + "1900000000000200"
                + "1900000000000100"
                + "01"
                + "03"
                + "1900000000000100"
                + "1900000000000200"
                + STATEMENT_BYTES
                + "01"
                + "1900000000000100"
                + "0000000000000000"
                + "0174"
                + "0172"
                + "0166");
    assertThat(CertifyScan.isOne(bytes)).isTrue();
    assertThat(CertifyScan.isOne(request.at().encode())).isFalse();
    assertThat(CertifyScan.decode(bytes)).isEqualTo(request);
    assertThat(request.read().snapshot()).isEqualTo(commit);
    assertThat(request.read().ownsWrites()).isFalse();
    assertThatThrownBy(() -> ReadRequest.decode(bytes)).isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> CertifyRequest.decode(bytes)).isInstanceOf(MalformedException.class);
  }

  @Test
  void moreJudgmentsThanARequestTakesAreLeftOut() {
    Map<TransactionId, Fate> many = new HashMap<>();
    for (int i = 0; i < 2 * RequestLimits.MAX_JUDGMENTS; i++) {
      RowFamily leader = new RowFamily("t", Bytes.utf8("row" + i), Bytes.utf8("f"));
      many.put(new TransactionId(START, leader), Fate.INVISIBLE);
    }
    CertifyScan request = new CertifyScan(at(), many);
    assertThat(CertifyScan.decode(request.encode()).judgments())
        .hasSize(RequestLimits.MAX_JUDGMENTS);
  }

  @Test
  void damagedOnesAreRefused() {
    long seed = Long.getLong("lampone.test.seed", new Random().nextLong());
    Random random = new Random(seed);
    byte[] whole = new CertifyScan(at(), Map.of()).encode();
    for (int i = 0; i < whole.length; i++) {
      byte[] cut = java.util.Arrays.copyOf(whole, i);
      assertThatThrownBy(() -> CertifyScan.decode(cut)).isInstanceOf(MalformedException.class);
    }
    int refused = 0;
    for (int i = 0; i < 2_000; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        CertifyScan.decode(damaged);
      } catch (MalformedException e) {
        refused++;
      }
    }
    assertThat(refused).as("seed %s", seed).isPositive();
  }

  private static CertifyRequest at() {
    return new CertifyRequest(
        START, START + Timestamps.TICK, START, ConflictLevel.ROW, IssueProof.NONE);
  }
}
