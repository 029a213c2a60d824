package io.lampone.client.hbase;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.core.TransactionStore.Settling;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.TransactionId;
import io.lampone.protocol.request.RegionRequest.FinishLeader;
import io.lampone.protocol.request.RegionRequest.Heal;
import io.lampone.protocol.request.RegionRequest.Settle;
import io.lampone.protocol.trust.Fate;
import io.lampone.protocol.trust.Proofs;
import io.lampone.protocol.trust.Tag;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostCommitRowTest {

  private static final Bytes FAMILY = Bytes.utf8("f");
  private static final Tag STATED = new Tag(3, 4);

  @Test
  void whatIsLeftOfOneTransactionGoesAsAHealOrAFinish() {
    assertThat(PostCommitRow.request(5, rows("t", List.of(settling(1, "a", "b", "c")), List.of())))
        .isEqualTo(
            new Heal(
                1,
                5,
                List.of(Bytes.utf8("b"), Bytes.utf8("c")),
                place("t", "a"),
                new Fate(101, STATED)));
    assertThat(PostCommitRow.request(5, rows("t", List.of(), List.of(settling(1, "a", "b")))))
        .isEqualTo(new FinishLeader(1, 5, Bytes.utf8("a"), FAMILY, 101, Proofs.OPEN.grant(0, 0)));
  }

  @Test
  void severalShareARequestThatNamesEachRowOfEachOnce() {
    Settle settle =
        (Settle)
            PostCommitRow.request(
                5,
                rows(
                    "t",
                    List.of(settling(1, "a", "b", "c"), settling(2, "c", "b")),
                    List.of(settling(3, "b", "a"))));

    assertThat(settle.floor()).isEqualTo(5);
    assertThat(settle.parts())
        .containsExactly(
            new FinishLeader(3, 5, Bytes.utf8("b"), FAMILY, 103, Proofs.OPEN.grant(0, 0)),
            new Heal(
                1,
                5,
                List.of(Bytes.utf8("b"), Bytes.utf8("c")),
                place("t", "a"),
                new Fate(101, STATED)),
            new Heal(2, 5, List.of(Bytes.utf8("b")), place("t", "c"), new Fate(102, STATED)));
    assertThat(settle.rows()).containsExactly(Bytes.utf8("b"), Bytes.utf8("c"));
  }

  @Test
  void twoFamiliesOfARowAreHealedByOnePart() {
    Settling one =
        new Settling(
            new TransactionId(1, place("t", "a")),
            0,
            List.of(place("t", "b"), new RowFamily("t", Bytes.utf8("b"), Bytes.utf8("g"))),
            new Fate(101, STATED),
            Proofs.OPEN.grant(0, 0));
    assertThat(PostCommitRow.request(0, rows("t", List.of(one), List.of())))
        .isEqualTo(
            new Heal(1, 0, List.of(Bytes.utf8("b")), place("t", "a"), new Fate(101, STATED)));
  }

  @Test
  void eachTableGetsWhatLiesInItWithTheHighestFloorOfAll() {
    Settling one =
        new Settling(
            new TransactionId(1, place("t", "a")),
            8,
            List.of(place("u", "x")),
            new Fate(101, STATED),
            Proofs.OPEN.grant(0, 0));
    Settling two =
        new Settling(
            new TransactionId(2, place("u", "y")),
            9,
            List.of(),
            new Fate(102, STATED),
            Proofs.OPEN.grant(0, 0));
    Map<String, PostCommitRow.OfTable> tables = PostCommitRow.byTable(List.of(one), List.of(two));
    assertThat(tables).containsOnlyKeys("u");
    assertThat(tables.get("u").floor()).isEqualTo(9);
    assertThat(tables.get("u").rows())
        .extracting(PostCommitRow::row)
        .containsExactly(Bytes.utf8("x"), Bytes.utf8("y"));
  }

  private static List<PostCommitRow> rows(
      String table, List<Settling> committed, List<Settling> healed) {
    return PostCommitRow.byTable(committed, healed).get(table).rows();
  }

  private static Settling settling(long start, String leader, String... followers) {
    return new Settling(
        new TransactionId(start, place("t", leader)),
        0,
        java.util.Arrays.stream(followers).map(row -> place("t", row)).toList(),
        new Fate(start + 100, STATED),
        Proofs.OPEN.grant(0, 0));
  }

  private static RowFamily place(String table, String row) {
    return new RowFamily(table, Bytes.utf8(row), FAMILY);
  }
}
