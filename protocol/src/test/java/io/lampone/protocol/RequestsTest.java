package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.request.CertifyRequest;
import io.lampone.protocol.request.LeaderReadRequest;
import io.lampone.protocol.request.ReadRequest;
import io.lampone.protocol.request.Refusal;
import io.lampone.protocol.request.RegionReply;
import io.lampone.protocol.request.RegionReply.Outcome;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.AbortLeader;
import io.lampone.protocol.request.RegionRequest.CommitLeader;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Flush;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.request.RegionRequestCodec;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Grant;
import io.lampone.protocol.trust.IssueProof;
import io.lampone.protocol.trust.Proof;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class RequestsTest {

  private static final RowFamily LEADER = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));

  private static final long START = 0x1900000000000100L;
  private static final Grant GRANT =
      new Grant(START, 3, new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
  private static final Tag STATEMENT = new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L);
  private static final String STATEMENT_BYTES = "0102030405060708090a0b0c0d0e0f10";
  private static final String GRANT_BYTES =
      "1900000000000100" + "00000003" + "0102030405060708" + "090a0b0c0d0e0f10";

  @Test
  void everyKindOfRegionRequestReadsBackAsItWas() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      RegionRequest request = randomRequest(random);
      assertThat(RegionRequestCodec.decode(RegionRequestCodec.encode(request)))
          .as("seed=%d", seed)
          .isEqualTo(request);
    }
  }

  @Test
  void theBytesOfTheCommitPointNeverChange() {
    RegionRequest commit =
        new CommitLeader(
            START,
            START - 256,
            Bytes.utf8("r"),
            Bytes.utf8("f"),
            START + 256,
            new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
    assertThat(HexFormat.of().formatHex(RegionRequestCodec.encode(commit)))
        .isEqualTo(
            "03"
                + "02"
                + "1900000000000100"
                + "1900000000000000"
                + "0172"
                + "0166"
                + "1900000000000200"
                + "0102030405060708"
                + "090a0b0c0d0e0f10");
  }

  @Test
  void theBytesOfTheWorkAfterSeveralCommitsNeverChange() {
    RegionRequest settle =
        new Settle(
            START - 256,
            List.of(
                new FinishLeader(
                    START, START - 256, Bytes.utf8("r"), Bytes.utf8("f"), START + 256, GRANT),
                new Heal(
                    START + 512,
                    START - 256,
                    List.of(Bytes.utf8("a")),
                    new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")),
                    new Fate(START + 768, STATEMENT))));
    assertThat(HexFormat.of().formatHex(RegionRequestCodec.encode(settle)))
        .isEqualTo(
            "04" // names leaders, owners and statements
                + "09"
                + "0000000000000000"
                + "1900000000000000"
                + "02"
                + "04"
                + "1900000000000100"
                + "0172"
                + "0166"
                + "1900000000000200"
                + "01"
                + GRANT_BYTES
                + "05"
                + "1900000000000300"
                + "1900000000000400"
                + "01"
                + "0161"
                + "0174" // the leader
                + "0172"
                + "0166"
                + STATEMENT_BYTES);
    assertThat(settle.rows()).containsExactly(Bytes.utf8("a"), Bytes.utf8("r"));
  }

  /** In earlier formats a heal did not say whose fate it writes, or did not show that it is. */
  @Test
  void aHealThatDoesNotShowItsLeadersStatementIsRefused() {
    byte[] heal =
        RegionRequestCodec.encode(
            new Heal(START, START, List.of(Bytes.utf8("a")), LEADER, new Fate(0, STATEMENT)));
    assertThat(HexFormat.of().formatHex(heal))
        .isEqualTo(
            "04"
                + "05"
                + "1900000000000100"
                + "1900000000000100"
                + "0000000000000000"
                + "01"
                + "0161"
                + "0174"
                + "0172"
                + "0166"
                + STATEMENT_BYTES);
    heal[0] = 2;
    assertThatThrownBy(() -> RegionRequestCodec.decode(heal))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("the other side is too old");
  }

  @Test
  void theBytesOfAFlushWithAnIntentThatExpires_andOfATableWithIndexes_neverChange() {
    IntentCell put = new IntentCell(3, IntentKind.PUT, Bytes.utf8("q"), Bytes.utf8("v"), 60_000);
    Flush flush =
        new Flush(
            START,
            START,
            ConflictLevel.ROW,
            new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")),
            1,
            List.of(
                new RowIntents(
                    Bytes.utf8("r"),
                    List.of(
                        new FamilyIntents(
                            Bytes.utf8("f"), SlotSet.NONE, Optional.empty(), List.of(put))))),
            Proofs.OPEN.grant(START, 0));
    byte[] bytes = RegionRequestCodec.encode(flush);
    assertThat(HexFormat.of().formatHex(bytes))
        .endsWith("01" + "03" + "04" + "0171" + "0176" + "000000000000ea60");
    Flush indexed =
        new Flush(
            START,
            START,
            flush.level(),
            flush.leader(),
            1,
            flush.intents(),
            flush.grant(),
            START - 256);
    String plain = HexFormat.of().formatHex(bytes);
    int head = 2 * (2 + 2 * Long.BYTES);
    assertThat(HexFormat.of().formatHex(RegionRequestCodec.encode(indexed)))
        .isEqualTo(
            "030c"
                + plain.substring(4, head)
                + String.format("%016x", START - 256)
                + plain.substring(head));
    bytes[bytes.length - 1] = 0;
    bytes[bytes.length - 2] = 0;
    assertThatThrownBy(() -> RegionRequestCodec.decode(bytes))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("lifetime");
    assertThatThrownBy(
            () -> new IntentCell(0, IntentKind.DELETE_COLUMN, Bytes.EMPTY, Bytes.EMPTY, 5))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void onlyWorkAfterCommitsGoesTogether() {
    Heal ofAborted =
        new Heal(START, START, List.of(Bytes.utf8("a")), LEADER, new Fate(0, STATEMENT));
    CommitLeader commit =
        new CommitLeader(
            START,
            START,
            Bytes.utf8("r"),
            Bytes.utf8("f"),
            START + 256,
            Proofs.OPEN.pass(START, START + 256));
    for (RegionRequest part : List.of(ofAborted, commit)) {
      assertThatThrownBy(() -> new Settle(START, List.of(part)))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("not work after a commit");
    }
    byte[] nested =
        new Encoder(64)
            .u8(4)
            .u8(9)
            .i64(0)
            .i64(START)
            .length(1)
            .u8(9)
            .i64(0)
            .i64(0)
            .i64(0)
            .toByteArray();
    assertThatThrownBy(() -> RegionRequestCodec.decode(nested))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("not work after a commit");
  }

  @Test
  void theBytesOfAReadRequestNeverChange() {
    ReadRequest read =
        new ReadRequest(
            START,
            true,
            START - 256,
            SlotSet.NONE.with(2),
            Map.of(
                new TransactionId(START - 512, LEADER),
                Fate.INVISIBLE,
                new TransactionId(START - 256, LEADER),
                new Fate(START - 128, STATEMENT)),
            new IssueProof.Begun(START, 3, 0x1112131415161718L));
    assertThat(HexFormat.of().formatHex(read.encode()))
        .isEqualTo(
            "04"
                + "1900000000000100"
                + "01"
                + "1900000000000000"
                + "0000000000000004"
                + "0000000000000000"
                + "02"
                + "18ffffffffffff00"
                + "0000000000000000" // invisible: nothing is shown
                + "017401720166"
                + "1900000000000000"
                + "1900000000000080"
                + STATEMENT_BYTES
                + "017401720166"
                + "01" // what is shown
                + "1900000000000100"
                + "00000003"
                + "1112131415161718");
    assertThat(ReadRequest.decode(read.encode())).isEqualTo(read);
    byte[] alone = new ReadRequest(START, true, 0, SlotSet.NONE, Map.of()).encode();
    assertThat(HexFormat.of().formatHex(alone)).startsWith("041900000000000100").endsWith("0000");
    assertThat(ReadRequest.decode(alone).judgments()).isEmpty();
  }

  /** To a region server that does not know it, it is a read of an unknown format. */
  @Test
  void certificationsReadBackAsTheyWere_andAreRefusedAsReads() {
    long commit = START + Timestamps.TICK;
    CertifyRequest request =
        new CertifyRequest(
            START,
            commit,
            START,
            ConflictLevel.CELL,
            new IssueProof.Passed(START, commit, STATEMENT));
    byte[] bytes = request.encode();
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "0a"
                + "1900000000000100"
                + "1900000000000200"
                + "1900000000000100"
                + "02"
                + "03"
                + "1900000000000100"
                + "1900000000000200"
                + STATEMENT_BYTES);
    assertThat(CertifyRequest.isOne(bytes)).isTrue();
    assertThat(CertifyRequest.decode(bytes)).isEqualTo(request);
    assertThatThrownBy(() -> ReadRequest.decode(bytes)).isInstanceOf(MalformedException.class);
    assertThat(
            CertifyRequest.isOne(
                new ReadRequest(START, true, START, SlotSet.NONE, Map.of()).encode()))
        .isFalse();
    assertThatThrownBy(
            () -> new CertifyRequest(START, START, START, ConflictLevel.ROW, IssueProof.NONE))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void leaderReadsAndRepliesReadBackAsTheyWere() {
    LeaderReadRequest leader = new LeaderReadRequest(START, START, Bytes.EMPTY);
    assertThat(LeaderReadRequest.decode(leader.encode())).isEqualTo(leader);
    RegionReply reply =
        new RegionReply(
            List.of(
                Outcome.NOTHING,
                new Outcome(Optional.of(TransactionState.FINAL), START, false),
                new Outcome(Optional.of(TransactionState.PENDING), 0, true).stated(STATEMENT)));
    byte[] bytes = reply.encode();
    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "04"
                + "03"
                + "0000000000000000000000"
                + "0319000000000001000000"
                + "0100000000000000000101"
                + STATEMENT_BYTES);
    assertThat(RegionReply.decode(bytes, 0, bytes.length)).isEqualTo(reply);
  }

  @Test
  void damagedRequestsAreRefusedAndNothingElseHappens() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 5_000; i++) {
      mustNotSurprise(
          RegionRequestCodec.encode(randomRequest(random)),
          random,
          seed,
          RegionRequestCodec::decode);
      mustNotSurprise(
          new ReadRequest(
                  START,
                  false,
                  START,
                  SlotSet.NONE,
                  Map.of(new TransactionId(START, LEADER), new Fate(1, STATEMENT)))
              .encode(),
          random,
          seed,
          ReadRequest::decode);
    }
  }

  @Test
  void aHugeCountInAShortInputAllocatesNothing() {
    byte[] heal =
        new Encoder(64).u8(4).u8(5).i64(START).i64(START).i64(0).length(1 << 30).toByteArray();
    assertThatThrownBy(() -> RegionRequestCodec.decode(heal))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("count exceeds input");
  }

  @Test
  void aRefusalSurvivesItsWayThroughTheMessageOfAnException() {
    Refusal refusal = Refusal.conflict(Bytes.of((byte) 0, (byte) ']', (byte) 0xff), START, "a ] b");
    String message =
        "org.apache.SomeException: " + refusal.toText() + "\n\tat some.Frame(File.java:1)";
    Refusal parsed = Refusal.parse(message);
    assertThat(parsed.code()).isEqualTo(Refusal.Code.CONFLICT);
    assertThat(parsed.row()).isEqualTo(refusal.row());
    assertThat(parsed.winnerCommitTimestamp()).isEqualTo(START);
    assertThat(parsed.detail()).startsWith("a ] b");
    assertThatThrownBy(() -> Refusal.parse("region is closing"))
        .isInstanceOf(MalformedException.class);
    assertThatThrownBy(() -> Refusal.parse("[lampone NO_SUCH_CODE commit=1 row=] x"))
        .isInstanceOf(MalformedException.class);
  }

  @Test
  void transactionIdsReadBackAndOtherTextsAreRefused() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      Bytes row = TransactionCellTest.bytes(random);
      if (row.isEmpty()) {
        continue;
      }
      TransactionId id =
          new TransactionId(START, new RowFamily("n:t", row, TransactionCellTest.bytes(random)));
      assertThat(TransactionId.parse(id.toString())).as("seed=%d", seed).isEqualTo(id);
    }
    for (String text : List.of("", "x", "1.2.3", "1900000000000100.dA.cg", "19.dA.cg.Zg", "..."))
      assertThatThrownBy(() -> TransactionId.parse(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("not a transaction id");
  }

  private static void mustNotSurprise(
      byte[] bytes, Random random, long seed, Function<byte[], ?> decode) {
    byte[] damaged =
        random.nextBoolean() ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes.clone();
    if (damaged.length > 0) {
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
    }
    try {
      decode.apply(damaged);
    } catch (MalformedException expected) {
      assertThat(expected).as("seed=%d", seed).hasMessageMatching(".+");
    }
  }

  private static RegionRequest randomRequest(Random random) {
    Bytes row = TransactionCellTest.bytes(random);
    Bytes family = TransactionCellTest.bytes(random);
    return switch (random.nextInt(6)) {
      case 0 ->
          new CommitLeader(
              START, START, row, family, START + 256, Proofs.OPEN.pass(START, START + 256));
      case 1 ->
          new AbortLeader(
              START,
              START,
              row,
              family,
              random.nextBoolean(),
              random.nextBoolean()
                  ? Proof.NONE
                  : new Proof.Voided(new Tag(random.nextLong(), random.nextLong())));
      case 2 -> new FinishLeader(START, START, row, family, START + 256, Proof.NONE);
      case 3 ->
          new Heal(
              START, START, List.of(row, family), LEADER, new Fate(random.nextLong(), STATEMENT));
      case 4 ->
          new Settle(
              START,
              List.of(
                  new Heal(
                      START + 256,
                      START,
                      List.of(row, family),
                      LEADER,
                      new Fate(random.nextLong() | 1, STATEMENT)),
                  new FinishLeader(START, START, row, family, random.nextLong(), Proof.NONE)));
      default ->
          new Flush(
              START,
              START,
              random.nextBoolean() ? ConflictLevel.ROW : ConflictLevel.CELL,
              TransactionCellTest.place(random),
              random.nextLong(),
              randomRows(random),
              Proofs.OPEN.grant(START, 0),
              random.nextBoolean() ? 0 : random.nextLong() >>> 1 | 1);
    };
  }

  private static List<RowIntents> randomRows(Random random) {
    List<RowIntents> rows = new ArrayList<>();
    for (int r = random.nextInt(3); r >= 0; r--) {
      List<IntentCell> cells = new ArrayList<>();
      for (int c = random.nextInt(4); c > 0; c--) {
        IntentKind[] kinds = IntentKind.values();
        IntentKind kind = kinds[random.nextInt(kinds.length)];
        cells.add(
            new IntentCell(
                random.nextInt(128),
                kind,
                TransactionCellTest.bytes(random),
                TransactionCellTest.bytes(random),
                kind == IntentKind.PUT ? random.nextInt(3) : FamilyRetention.FOREVER));
      }
      Optional<FollowerList> followers =
          random.nextBoolean()
              ? Optional.of(
                  new FollowerList(
                      List.of(TransactionCellTest.place(random)), random.nextBoolean()))
              : Optional.empty();
      rows.add(
          new RowIntents(
              TransactionCellTest.bytes(random),
              List.of(
                  new FamilyIntents(
                      TransactionCellTest.bytes(random),
                      SlotSet.NONE.with(random.nextInt(128)),
                      followers,
                      cells))));
    }
    return rows;
  }
}
