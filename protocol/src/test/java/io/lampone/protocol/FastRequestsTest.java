package io.lampone.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.protocol.request.FastCondition;
import io.lampone.protocol.request.FastCondition.Always;
import io.lampone.protocol.request.FastCondition.Compare;
import io.lampone.protocol.request.FastCondition.Operator;
import io.lampone.protocol.request.FastCondition.Place;
import io.lampone.protocol.request.FastCondition.SchemaUnchanged;
import io.lampone.protocol.request.FastCondition.Unchanged;
import io.lampone.protocol.request.FastOperation;
import io.lampone.protocol.request.FastOperation.Kind;
import io.lampone.protocol.request.FastOperation.Mutation;
import io.lampone.protocol.request.FastReadReply;
import io.lampone.protocol.request.FastReadRequest;
import io.lampone.protocol.request.FastReadRequest.Wants;
import io.lampone.protocol.request.FastReply;
import io.lampone.protocol.request.FastReply.Outcome;
import io.lampone.protocol.request.FastReply.ResultCell;
import io.lampone.protocol.request.FastWrite;
import io.lampone.protocol.request.OneRegionCommit;
import io.lampone.protocol.request.OneRegionCommit.RowRead;
import io.lampone.protocol.request.OperationLookup;
import io.lampone.protocol.request.RegionRequest;
import io.lampone.protocol.request.RegionRequest.FamilyIntents;
import io.lampone.protocol.request.RegionRequest.IntentCell;
import io.lampone.protocol.request.RegionRequest.IntentKind;
import io.lampone.protocol.request.RegionRequest.RowIntents;
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

class FastRequestsTest {

  private static final long START = 0x1900000000000100L;
  private static final long VERSION = START + 130;
  private static final Grant GRANT =
      new Grant(START, 3, new Tag(0x0102030405060708L, 0x090a0b0c0d0e0f10L));
  private static final String GRANT_BYTES =
      "1900000000000100" + "00000003" + "0102030405060708" + "090a0b0c0d0e0f10";
  private static final IssueProof MARKED = new IssueProof.Marked(VERSION, 0x1112131415161718L);
  private static final String MARKED_BYTES = "02" + "1900000000000182" + "1112131415161718";
  private static final OperationId ID = new OperationId(0x0102030405060708L, 9);

  @Test
  void everyFastPathRequestReadsBackAsItWas() {
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
  void theBytesOfABlindPutNeverChange() {
    FastOperation put =
        new FastOperation(
            Bytes.utf8("r"),
            ID,
            false,
            VERSION,
            new Always(),
            false,
            List.of(new Mutation(Kind.PUT, Bytes.utf8("f"), Bytes.utf8("q"), Bytes.utf8("v"))));
    FastWrite write = new FastWrite(START - 256, VERSION, false, List.of(put), MARKED);
    assertThat(hex(RegionRequestCodec.encode(write)))
        .isEqualTo(
            "04"
                + "06"
                + "0000000000000000"
                + "1900000000000000" // head
                + "1900000000000182"
                + MARKED_BYTES
                + "00"
                + "01" // mark, not atomic, one operation
                + "0172"
                + "0102030405060708"
                + "0000000000000009" // row, id
                + "00"
                + "1900000000000182"
                + "00" // flags, first mark, always
                + "01"
                + "01"
                + "0166"
                + "0171"
                + "0176"); // one put
  }

  @Test
  void aPutThatExpiresIsAPutWithABitMoreAndItsLifetime() {
    Mutation put =
        new Mutation(Kind.PUT, Bytes.utf8("f"), Bytes.utf8("q"), Bytes.utf8("v"), 60_000);
    FastOperation operation =
        new FastOperation(Bytes.utf8("r"), ID, false, 0, new Always(), false, List.of(put));
    byte[] bytes = RegionRequestCodec.encode(new FastWrite(0, 0, false, List.of(operation)));
    assertThat(hex(bytes)).endsWith("01" + "81" + "0166" + "0171" + "0176" + "000000000000ea60");
    bytes[bytes.length - Long.BYTES] = -1;
    assertThatThrownBy(() -> RegionRequestCodec.decode(bytes))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("lifetime");
  }

  @Test
  void theBytesOfAConditionalIncrementNeverChange() {
    FastOperation increment =
        new FastOperation(
            Bytes.utf8("r"),
            ID,
            true,
            0,
            new Unchanged(VERSION, List.of(Place.column(Bytes.utf8("f"), Bytes.utf8("q")))),
            true,
            List.of(
                new Mutation(
                    Kind.INCREMENT, Bytes.utf8("f"), Bytes.utf8("q"), Bytes.of(new byte[8]))));
    FastWrite write = new FastWrite(0, 0, true, List.of(increment));
    assertThat(hex(RegionRequestCodec.encode(write)))
        .isEqualTo(
            "04"
                + "06"
                + "0000000000000000"
                + "0000000000000000"
                + "0000000000000000"
                + "00" // nothing is shown
                + "01"
                + "01"
                + "0172"
                + "0102030405060708"
                + "0000000000000009"
                + "03"
                + "0000000000000000"
                + "01"
                + "1900000000000182"
                + "01"
                + "0166"
                + "00"
                + "0171"
                + "01"
                + "05"
                + "0166"
                + "0171"
                + "080000000000000000");
  }

  @Test
  void theBytesOfAConditionOnTheSchemaNeverChange() {
    FastOperation put =
        new FastOperation(
            Bytes.utf8("r"),
            ID,
            false,
            0,
            new SchemaUnchanged(VERSION),
            false,
            List.of(new Mutation(Kind.PUT, Bytes.utf8("f"), Bytes.utf8("q"), Bytes.utf8("v"))));
    byte[] bytes = RegionRequestCodec.encode(new FastWrite(0, 0, false, List.of(put)));
    assertThat(hex(bytes))
        .endsWith(
            "00" // flags
                + "0000000000000000"
                + "03"
                + "1900000000000182"
                + "01"
                + "01"
                + "0166"
                + "0171"
                + "0176");
  }

  private static List<RowRead> randomReads(Random random) {
    return random.nextBoolean()
        ? List.of()
        : List.of(
            new RowRead(
                TransactionCellTest.bytes(random),
                List.of(
                    random.nextBoolean()
                        ? Place.family(TransactionCellTest.bytes(random))
                        : Place.column(
                            TransactionCellTest.bytes(random),
                            TransactionCellTest.bytes(random)))));
  }

  /** Its cells, or a look-up of it, would decide about that transaction. */
  @Test
  void anOperationIsNotNamedAsATransaction() {
    FastOperation named =
        new FastOperation(
            Bytes.utf8("r"),
            OperationId.ofTransaction(START),
            true,
            VERSION,
            new FastCondition.Always(),
            false,
            List.of());
    byte[] request = RegionRequestCodec.encode(new FastWrite(0, 0, false, List.of(named)));
    assertThatThrownBy(() -> RegionRequestCodec.decode(request))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("name of a transaction");
  }

  /** A search that begins below zero fails in HBase. */
  @Test
  void aLookupBelowZeroIsMalformed() {
    byte[] request =
        RegionRequestCodec.encode(new OperationLookup(0, Bytes.utf8("r"), ID, -2, Proof.NONE));
    assertThatThrownBy(() -> RegionRequestCodec.decode(request))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("negative timestamp");
  }

  @Test
  void theBytesOfALookupAndOfAMarkNeverChange() {
    OperationLookup lookup =
        new OperationLookup(0, Bytes.utf8("r"), OperationId.ofTransaction(START), START, GRANT);
    assertThat(hex(RegionRequestCodec.encode(lookup)))
        .isEqualTo(
            "03" // names the owner
                + "08"
                + "1900000000000100"
                + "0000000000000000"
                + "0172"
                + "0000000000000000"
                + "1900000000000100"
                + "1900000000000100"
                + "01"
                + GRANT_BYTES);
    assertThat(hex(CausalTimestamp.encode(VERSION))).isEqualTo("1900000000000182");
    assertThat(CausalTimestamp.decode(CausalTimestamp.encode(VERSION))).isEqualTo(VERSION);
    assertThat(hex(ID.toBytes())).isEqualTo("01020304050607080000000000000009");
  }

  @Test
  void theBytesOfAReadAndOfItsReplyNeverChange() {
    FastReadRequest read =
        FastReadRequest.of(VERSION, START, true)
            .again(VERSION, Map.of(id(START), Fate.INVISIBLE))
            .shown(MARKED);
    assertThat(hex(read.encode()))
        .isEqualTo(
            "04"
                + "01"
                + "1900000000000182"
                + "1900000000000100"
                + "1900000000000182"
                + "01"
                + "1900000000000100"
                + "0000000000000000"
                + "0174"
                + "0172"
                + "0166"
                + MARKED_BYTES);
    assertThat(FastReadRequest.decode(read.encode())).isEqualTo(read);
    FastReadRequest latest = FastReadRequest.of(VERSION, START, Wants.LATEST);
    assertThat(hex(latest.encode()))
        .isEqualTo(
            "04" + "02" + "1900000000000182" + "1900000000000100" + "0000000000000000" + "0000");
    assertThat(FastReadRequest.decode(latest.encode())).isEqualTo(latest);
    assertThat(latest.wantsAllIntents()).isTrue();
    assertThat(latest.again(VERSION, Map.of()).wantsAllIntents()).isFalse();
    FastReadRequest interval = FastReadRequest.of(VERSION, START, Wants.INTERVAL);
    assertThat(hex(interval.encode()))
        .isEqualTo(
            "04" + "03" + "1900000000000182" + "1900000000000100" + "0000000000000000" + "0000");
    assertThat(FastReadRequest.decode(interval.encode())).isEqualTo(interval);
    assertThat(interval.wantsAllIntents()).isTrue();
    assertThatThrownBy(() -> FastReadRequest.decode(interval.again(VERSION, Map.of()).encode()))
        .isInstanceOf(MalformedException.class);
    byte[] reply = new FastReadReply(VERSION, START, 0x1112131415161718L).encode();
    assertThat(hex(reply))
        .isEqualTo("02" + "1900000000000182" + "1900000000000100" + "1112131415161718");
    FastReadReply decoded = FastReadReply.decode(reply, 0, reply.length);
    assertThat(decoded).isEqualTo(new FastReadReply(VERSION, START, 0x1112131415161718L));
    assertThat(decoded.issued()).isEqualTo(MARKED);
    assertThat(new FastReadReply(VERSION, START, 0).issued()).isEqualTo(IssueProof.NONE);
  }

  @Test
  void judgmentsOfOneSnapshotAreNotTakenForAnother() {
    FastReadRequest first =
        FastReadRequest.of(0, 0, false).again(VERSION, Map.of(id(START), Fate.INVISIBLE));
    assertThat(first.again(VERSION, Map.of(id(START + 256), Fate.INVISIBLE)).judgments())
        .hasSize(2);
    assertThat(first.again(VERSION + 1, Map.of()).judgments()).isEmpty();
    assertThatThrownBy(
            () ->
                new FastReadRequest(
                    0, 0, 0, Wants.CELLS, Map.of(id(START), Fate.INVISIBLE), IssueProof.NONE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theBytesOfAReplyNeverChange() {
    RowFamily leader = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));
    FastReply reply =
        new FastReply(
            List.of(
                new Outcome(
                    FastReply.Kind.COMMITTED,
                    VERSION,
                    Optional.empty(),
                    List.of(new ResultCell(Bytes.utf8("f"), Bytes.EMPTY, Bytes.utf8("v")))),
                Outcome.busy(new TransactionId(START, leader))),
            0x1112131415161718L);
    byte[] bytes = reply.encode();
    assertThat(hex(bytes))
        .isEqualTo(
            "02"
                + "02"
                + "01"
                + "1900000000000182"
                + "00"
                + "01"
                + "0166"
                + "00"
                + "0176"
                + "05"
                + "0000000000000000"
                + "01"
                + "1900000000000100"
                + "017401720166"
                + "00"
                + "1112131415161718");
    assertThat(FastReply.decode(bytes, 0, bytes.length)).isEqualTo(reply);
    assertThat(reply.issued()).isEqualTo(MARKED);
  }

  @Test
  void damagedRequestsAreRefusedAndNothingElseHappens() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    byte[] unknownKind = FastReadRequest.of(VERSION, 0, true).encode();
    unknownKind[1] = 4;
    assertThatThrownBy(() -> FastReadRequest.decode(unknownKind))
        .isInstanceOf(MalformedException.class);
    for (int i = 0; i < 5_000; i++) {
      mustNotSurprise(
          RegionRequestCodec.encode(randomRequest(random)),
          random,
          seed,
          RegionRequestCodec::decode);
      mustNotSurprise(
          FastReadRequest.of(VERSION, 0, true)
              .again(VERSION, Map.of(id(START), new Fate(1, new Tag(2, 3))))
              .encode(),
          random,
          seed,
          FastReadRequest::decode);
    }
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

  private static long timestamp(Random random) {
    return random.nextLong() & Long.MAX_VALUE;
  }

  private static RegionRequest randomRequest(Random random) {
    boolean indexed = random.nextBoolean();
    return switch (random.nextInt(3)) {
      case 0 ->
          new OperationLookup(
              START, TransactionCellTest.bytes(random), ID, timestamp(random), Proof.NONE);
      case 1 ->
          new OneRegionCommit(
              START,
              START,
              VERSION,
              ConflictLevel.CELL,
              random.nextBoolean(),
              List.of(
                  new RowIntents(
                      TransactionCellTest.bytes(random),
                      List.of(
                          new FamilyIntents(
                              TransactionCellTest.bytes(random),
                              SlotSet.NONE,
                              Optional.empty(),
                              List.of(
                                  new IntentCell(
                                      0,
                                      IntentKind.DELETE_COLUMN,
                                      TransactionCellTest.bytes(random),
                                      Bytes.EMPTY)))))),
              Proofs.OPEN.grant(START, 0),
              IssueProof.NONE,
              indexed ? List.of() : randomReads(random),
              indexed ? timestamp(random) | 1 : 0);
      default -> randomWrite(random);
    };
  }

  private static FastWrite randomWrite(Random random) {
    List<FastOperation> operations = new ArrayList<>();
    for (int rows = random.nextInt(4); rows > 0; rows--) {
      List<Mutation> mutations = new ArrayList<>();
      for (int count = random.nextInt(4); count > 0; count--) {
        Kind[] kinds = Kind.values();
        mutations.add(
            new Mutation(
                kinds[random.nextInt(kinds.length)],
                TransactionCellTest.bytes(random),
                TransactionCellTest.bytes(random),
                TransactionCellTest.bytes(random),
                random.nextInt(3)));
      }
      operations.add(
          new FastOperation(
              TransactionCellTest.bytes(random),
              new OperationId(random.nextLong(), random.nextLong()),
              random.nextBoolean(),
              timestamp(random),
              randomCondition(random),
              random.nextBoolean(),
              mutations));
    }
    return new FastWrite(START, timestamp(random), random.nextBoolean(), operations);
  }

  private static FastCondition randomCondition(Random random) {
    Operator[] operators = Operator.values();
    return switch (random.nextInt(4)) {
      case 0 -> new Always();
      case 3 -> new SchemaUnchanged(timestamp(random));
      case 1 ->
          new Unchanged(
              timestamp(random),
              List.of(
                  Place.family(TransactionCellTest.bytes(random)),
                  Place.column(
                      TransactionCellTest.bytes(random), TransactionCellTest.bytes(random))));
      default ->
          new Compare(
              TransactionCellTest.bytes(random),
              TransactionCellTest.bytes(random),
              operators[random.nextInt(operators.length)],
              TransactionCellTest.bytes(random));
    };
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  private static TransactionId id(long start) {
    return new TransactionId(start, new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f")));
  }
}
