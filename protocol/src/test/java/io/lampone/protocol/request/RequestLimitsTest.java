package io.lampone.protocol.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.Encoder;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.SlotSet;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.FollowerList;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What exceeds a limit is refused before anything is made of it. */
class RequestLimitsTest {

  private static final long START = 512;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * 1,000 parts of 10,000 rows each: seconds of work for a request that was let in. What was
   * decoded before it was refused is known by the memory that was taken: 10,000,000 rows take
   * several hundred megabytes, those of one part less than one.
   */
  @Test
  void theWorkAfterCommitsHasSoManyRowsInAll() {
    Encoder out = head(9, 0).length(RequestLimits.MAX_PARTS);
    for (int part = 0; part < RequestLimits.MAX_PARTS; part++) {
      out.u8(5).i64(START).i64(2 * START).length(10_000);
      for (int row = 0; row < 10_000; row++) {
        out.length(1).u8(row);
      }
      out.place(places(1, 1).get(0)).i64(1).i64(1);
    }
    byte[] attribute = out.toByteArray();
    assertThatThrownBy(() -> RegionRequestCodec.decode(attribute)) // the first call loads classes
        .isInstanceOf(TooLargeException.class)
        .hasMessageContaining("rows");
    long before = THREADS.getCurrentThreadAllocatedBytes();
    assertThatThrownBy(() -> RegionRequestCodec.decode(attribute))
        .isInstanceOf(TooLargeException.class);
    assertThat(THREADS.getCurrentThreadAllocatedBytes() - before).isLessThan(4 << 20);
  }

  @Test
  void theWorkAfterCommitsHasSoManyParts() {
    Encoder out = head(9, 0).length(RequestLimits.MAX_PARTS + 1);
    for (int part = 0; part <= RequestLimits.MAX_PARTS; part++) {
      out.u8(4).i64(START).length(1).u8('r').length(1).u8('f').i64(2 * START).u8(0);
    }
    assertTooLarge(out, "parts");
  }

  @Test
  void finishedLeadersAreRowsToo() {
    Encoder out = head(9, 0).length(2);
    out.u8(5).i64(START).i64(2 * START).length(RequestLimits.MAX_ROWS);
    for (int row = 0; row < RequestLimits.MAX_ROWS; row++) {
      out.length(1).u8(row);
    }
    out.place(places(1, 1).get(0)).i64(1).i64(1);
    out.u8(4).i64(START).length(1).u8('r').length(1).u8('f').i64(2 * START).u8(0);
    assertTooLarge(out, "rows");
  }

  @Test
  void aHealHasSoManyRows() {
    Encoder out = head(5, START).i64(0).length(RequestLimits.MAX_ROWS + 1);
    for (int row = 0; row <= RequestLimits.MAX_ROWS; row++) {
      out.length(0);
    }
    assertTooLarge(out, "rows");
  }

  @Test
  void aLeaderListsSoManyFollowers() {
    assertTooLarge(flushWithFollowers(RequestLimits.MAX_FOLLOWERS + 1, 1), "followers");
    assertTooLarge(flushWithFollowers(100, 2_000), "bytes of followers");
  }

  @Test
  void whoHasMoreFollowersListsNone() {
    assertThat(FollowerList.ofAll(places(RequestLimits.MAX_FOLLOWERS, 1), 1 << 20))
        .isEqualTo(new FollowerList(places(RequestLimits.MAX_FOLLOWERS, 1), true));
    assertThat(FollowerList.ofAll(places(RequestLimits.MAX_FOLLOWERS + 1, 1), 1 << 20))
        .isEqualTo(FollowerList.INCOMPLETE);
    assertThat(FollowerList.ofAll(places(100, 2_000), 1 << 20)).isEqualTo(FollowerList.INCOMPLETE);
    assertThat(FollowerList.ofAll(places(3, 1), 2)).isEqualTo(FollowerList.INCOMPLETE);
  }

  /** Each of its rows would take a hundred times the two bytes that it has here. */
  @Test
  void whatWouldTakeFarMoreMemoryThanItsBytesIsRefused() {
    int families = RequestLimits.MAX_DECODED_BYTES / RequestLimits.OBJECT_BYTES + 1;
    Encoder out = head(1, START);
    Proofs.OPEN.grant(START, 0).write(out);
    out.u8(1).length(1).u8('t').length(1).u8('r').length(1).u8('f');
    out.i64(1).length(1).length(1).u8('r').length(families);
    for (int i = 0; i < families; i++) {
      out.length(0).i64(0).i64(0).u8(0).length(0);
    }
    assertTooLarge(out, "when decoded");
  }

  @Test
  void aCountThatTheBytesCannotHoldIsRefusedBeforeAnythingIsMade() {
    Encoder out = head(5, START).i64(0).length(9_999);
    assertThatThrownBy(() -> RegionRequestCodec.decode(out.toByteArray()))
        .isInstanceOf(MalformedException.class)
        .hasMessageContaining("count exceeds input");
  }

  @Test
  void attributesAreMeasuredBeforeTheyAreRead() {
    assertThatThrownBy(() -> RegionRequestCodec.decode(new byte[RequestLimits.MAX_WRITE_BYTES + 1]))
        .isInstanceOf(TooLargeException.class);
    byte[] read = new byte[RequestLimits.MAX_READ_BYTES + 1];
    assertThatThrownBy(() -> ReadRequest.decode(read)).isInstanceOf(TooLargeException.class);
    assertThatThrownBy(() -> FastReadRequest.decode(read)).isInstanceOf(TooLargeException.class);
    assertThatThrownBy(() -> LeaderReadRequest.decode(read)).isInstanceOf(TooLargeException.class);
  }

  @Test
  void aReadBringsSoManyJudgmentsAndThoseThatWereFoundOutLast() {
    Map<TransactionId, Fate> earlier = judgments(0, 600);
    Map<TransactionId, Fate> later = judgments(600, 1_200);
    ReadRequest request =
        new ReadRequest(1 << 20, true, 0, SlotSet.NONE, earlier).withJudgments(later);
    assertThat(request.judgments())
        .hasSize(RequestLimits.MAX_JUDGMENTS)
        .containsAllEntriesOf(later);
    assertThat(ReadRequest.decode(request.encode())).isEqualTo(request);

    ReadRequest more = new ReadRequest(1 << 20, true, 0, SlotSet.NONE, judgments(0, 1 + 1_000));
    assertThatThrownBy(() -> ReadRequest.decode(more.encode()))
        .isInstanceOf(TooLargeException.class);
  }

  @Test
  void judgmentsOfLongRowsFitIntoARequest() {
    Map<TransactionId, Fate> judgments = new LinkedHashMap<>();
    for (RowFamily place : places(1_000, 30_000)) {
      judgments.put(new TransactionId(256L * (1 + judgments.size()), place), Fate.INVISIBLE);
    }
    ReadRequest request =
        new ReadRequest(1 << 20, true, 0, SlotSet.NONE, Map.of()).withJudgments(judgments);
    assertThat(request.judgments()).hasSize(8);
    assertThat(ReadRequest.decode(request.encode())).isEqualTo(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        "no table\n",
        "../../x",
        "hbase:meta",
        "a:b:c",
        "-t",
        ".t",
        ":t",
        "n:",
        "n.s:t"
      })
  void aTableThatCannotBeIsNoPlace(String table) {
    assertThat(new RowFamily(table, Bytes.utf8("r"), Bytes.utf8("f")).isLegal()).isFalse();
  }

  @Test
  void rowsAndFamiliesOfAPlaceAreSuchAsHBaseTakes() {
    Bytes row = Bytes.utf8("r");
    Bytes family = Bytes.utf8("f");
    assertThat(new RowFamily("ns:t-1.x_", row, family).isLegal()).isTrue();
    assertThat(new RowFamily("t", Bytes.EMPTY, family).isLegal()).isFalse();
    assertThat(new RowFamily("t", Bytes.wrap(new byte[32_767]), family).isLegal()).isTrue();
    assertThat(new RowFamily("t", Bytes.wrap(new byte[32_768]), family).isLegal()).isFalse();
    for (String wrong : List.of("", ".f", "a:b", "a/b", "a\\b", "a\nb", "f".repeat(128))) {
      assertThat(new RowFamily("t", row, Bytes.utf8(wrong)).isLegal()).as(wrong).isFalse();
    }
    assertThat(new RowFamily("t", row, Bytes.utf8("f".repeat(127))).isLegal()).isTrue();
  }

  private static Map<TransactionId, Fate> judgments(int from, int to) {
    Map<TransactionId, Fate> judgments = new LinkedHashMap<>();
    RowFamily place = new RowFamily("t", Bytes.utf8("r"), Bytes.utf8("f"));
    for (long i = from; i < to; i++) {
      judgments.put(new TransactionId(256 * (i + 1), place), Fate.INVISIBLE);
    }
    return judgments;
  }

  private static List<RowFamily> places(int count, int rowBytes) {
    List<RowFamily> places = new ArrayList<>();
    IntStream.range(0, count)
        .forEach(
            i -> places.add(new RowFamily("t", Bytes.wrap(new byte[rowBytes]), Bytes.utf8("f"))));
    return places;
  }

  private static Encoder flushWithFollowers(int count, int rowBytes) {
    Encoder out = head(1, START);
    Proofs.OPEN.grant(START, 0).write(out);
    out.u8(1).length(1).u8('t').length(1).u8('r').length(1).u8('f');
    out.i64(1).length(1).length(1).u8('r').length(1).length(1).u8('f').i64(0).i64(0);
    out.u8(1).bool(true).length(count);
    places(count, rowBytes).forEach(out::place);
    return out.length(0);
  }

  private static Encoder head(int kind, long start) {
    return new Encoder(1 << 20).u8(kind == 5 || kind == 9 ? 4 : 3).u8(kind).i64(start).i64(0);
  }

  private static void assertTooLarge(Encoder out, String what) {
    assertThatThrownBy(() -> RegionRequestCodec.decode(out.toByteArray()))
        .isInstanceOf(TooLargeException.class)
        .hasMessageContaining(what);
  }
}
