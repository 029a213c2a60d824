package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.checker.History;
import io.lampone.checker.HistoryTransaction;
import io.lampone.checker.Operation;
import io.lampone.checker.Outcome;
import io.lampone.faultlab.work.check.BankCheck;
import io.lampone.faultlab.work.check.LatestCheck;
import io.lampone.faultlab.work.check.ListCheck;
import io.lampone.faultlab.work.check.OneOrderCheck;
import io.lampone.faultlab.work.client.ClientMain;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

/** Each check finds its anomaly, and reports none in a history without it. */
class ChecksTest {

  private static final int LAST_PROCESS = new Stamps(Stamps.LAST_CLIENT).process();

  private final Stamps stamps = new Stamps(1);

  @Test
  void theBankIsContentWithAnySumThatIsTheFirstOne() {
    assertThat(bank(BankWorkload.OPENING_BALANCE + 5, BankWorkload.OPENING_BALANCE - 5)).isEmpty();
  }

  @Test
  void theBankMissesMoney() {
    assertThat(bank(BankWorkload.OPENING_BALANCE + 5, BankWorkload.OPENING_BALANCE - 6))
        .singleElement()
        .asString()
        .contains("sum=11999");
  }

  private List<String> bank(long first, long second) {
    List<Operation> reads = new ArrayList<>();
    for (long account : BankWorkload.accounts()) {
      // The others were never written.
      List<Long> found =
          account == 0
              ? List.of(stamps.value(first))
              : account == 1 ? List.of(stamps.value(second)) : List.of();
      reads.add(new Operation.Read(Long.toString(account), found));
    }
    return new BankCheck(BankWorkload.ACCOUNTS)
        .violations(history(transaction(0, 1, Outcome.OK, reads)));
  }

  @Test
  void whatWasAcknowledgedIsThereInTheEndAndWhatFailedIsNot() {
    HistoryTransaction ok = transaction(0, 1, Outcome.OK, List.of(new Operation.Append("1", 11)));
    HistoryTransaction failed =
        transaction(1, 1, Outcome.FAILED, List.of(new Operation.Append("1", 12)));
    HistoryTransaction open =
        transaction(2, 1, Outcome.UNKNOWN, List.of(new Operation.Append("1", 13)));
    assertThat(lists(ok, failed, open, last(11L))).isEmpty();
    assertThat(lists(ok, failed, open, last(11L, 13L))).isEmpty();
    assertThat(lists(ok, failed, open, last(13L)))
        .singleElement()
        .asString()
        .contains("missing in the end");
    assertThat(lists(ok, failed, open, last(11L, 12L)))
        .singleElement()
        .asString()
        .contains("failed and there");
    assertThat(lists(ok, failed, open, last(11L, 11L)))
        .singleElement()
        .asString()
        .contains("twice");
  }

  @Test
  void readersThatSeeWritesInDifferentOrdersAreFound() {
    HistoryTransaction one = reader(0, "1", "-");
    HistoryTransaction other = reader(1, "-", "1");
    HistoryTransaction both = reader(2, "1", "1");
    assertThat(new OneOrderCheck().violations(history(one, both))).isEmpty();
    assertThat(new OneOrderCheck().violations(history(one, other)))
        .anyMatch(text -> text.contains("different orders"));
  }

  @Test
  void aReaderWhoSeesLessThanOneWhoHadEndedIsFound() {
    assertThat(
            new OneOrderCheck().violations(history(reader(0, "-", "-"), reader(9_000, "1", "-"))))
        .isEmpty();
    assertThat(
            new OneOrderCheck().violations(history(reader(0, "1", "-"), reader(9_000, "-", "-"))))
        .singleElement()
        .asString()
        .contains("sees less");
    HistoryTransaction ofSession =
        reader(9_000, "-", "-").withFreshness(HistoryTransaction.Freshness.SESSION);
    assertThat(new OneOrderCheck().violations(history(reader(0, "1", "-"), ofSession)))
        .as("it may miss what was acknowledged a moment ago")
        .isEmpty();
  }

  @Test
  void aLatestReadThatMissesWhatHadBeenToldIsFound() {
    HistoryTransaction told = transaction(0, 1, Outcome.OK, List.of(new Operation.Append("1", 11)));
    HistoryTransaction shown = transaction(1, 2, Outcome.OK, List.of(list(11L, 12L)));
    HistoryTransaction failed =
        transaction(2, 3, Outcome.FAILED, List.of(new Operation.Append("1", 13)));
    assertThat(latest(told, shown, failed, latest(9_000, 11L, 12L))).isEmpty();
    // They may have been on their way.
    assertThat(latest(told, shown, failed, latest(2))).isEmpty();
    assertThat(latest(told, failed, latest(9_000)))
        .singleElement()
        .asString()
        .contains("misses elements=[11]");
    assertThat(latest(told, shown, latest(9_000, 11L)))
        .singleElement()
        .asString()
        .contains("misses elements=[12]");
  }

  private static List<String> latest(HistoryTransaction... all) {
    return new LatestCheck().violations(history(all));
  }

  private static HistoryTransaction latest(int began, Long... elements) {
    return new HistoryTransaction(
        9,
        9,
        began,
        began + 1,
        Outcome.OK,
        List.of(list(elements)),
        LatestCheck.NAME,
        0,
        0,
        true,
        false,
        List.of(),
        HistoryTransaction.Freshness.STRICT,
        HistoryTransaction.NO_SESSION);
  }

  private static Operation list(Long... elements) {
    return new Operation.Read("1", List.of(elements));
  }

  @Test
  void writeSkewsAreCountedAndNoAnomaly() {
    HistoryTransaction one = transaction(0, 1, Outcome.OK, List.of(new Operation.Write("0", 11)));
    HistoryTransaction other =
        transaction(
            1, 2, Outcome.OK, List.of(new Operation.Write(Long.toString(HistoryCells.GROUP), 12)));
    assertThat(WriteSkewWorkload.note(history(one, other))).contains("1 of 1 pairs");
    assertThat(WriteSkewWorkload.note(history(one))).contains("0 of 1 pairs");
  }

  private static HistoryTransaction reader(int number, String first, String second) {
    return transaction(number, number, Outcome.OK, List.of(read("a", first), read("b", second)));
  }

  private static Operation read(String key, String value) {
    return new Operation.Read(key, value.equals("-") ? List.of() : List.of(Long.valueOf(value)));
  }

  @Test
  void valuesCarryTheirContentAndAreNeverEqual() {
    long one = stamps.value(77);
    long two = stamps.value(77);
    assertThat(one).isNotEqualTo(two).isLessThan(1L << 53);
    assertThat(Stamps.content(one)).isEqualTo(77);
    assertThat(new Stamps(Stamps.LAST_CLIENT).value(Stamps.CONTENT_LIMIT - 1)).isLessThan(1L << 53);
    assertThat(Stamps.isLast(LAST_PROCESS)).isTrue();
    assertThat(Stamps.isLast(stamps.process())).isFalse();
  }

  @Test
  void aKeyIsFoundAgainFromItsRowAndColumn() {
    for (long key : new long[] {0, 1, 2, 3, 12_345, 99_999_999}) {
      for (int table : new int[] {0, 1}) {
        long there = HistoryCells.in(table, key);
        assertThat(HistoryCells.key(table, HistoryCells.row(there), HistoryCells.qualifier(there)))
            .isEqualTo(there);
        assertThat(HistoryCells.table(there)).isEqualTo(table);
        assertThat(HistoryCells.in(0, there)).isEqualTo(key);
        assertThat(HistoryCells.row(there)).isEqualTo(HistoryCells.row(key));
        assertThat(HistoryCells.qualifier(there)).isEqualTo(HistoryCells.qualifier(key));
      }
    }
    assertThat(HistoryCells.row(4)).isEqualTo(HistoryCells.row(5));
    assertThat(HistoryCells.elements(HistoryCells.bytes(List.of(1L, 2L)))).containsExactly(1L, 2L);
    assertThat(HistoryCells.elements(null)).isEmpty();
  }

  private static List<String> lists(HistoryTransaction... all) {
    return new ListCheck().violations(history(all));
  }

  private static HistoryTransaction last(Long... elements) {
    return transaction(
        9, LAST_PROCESS, Outcome.OK, List.of(new Operation.Read("1", List.of(elements))));
  }

  private static History history(HistoryTransaction... all) {
    return new History(
        ClientMain.header(WorkloadKind.LIST_APPEND, List.of(TableName.valueOf("t")), 1),
        List.of(all),
        0);
  }

  private static HistoryTransaction transaction(
      int number, int process, Outcome outcome, List<Operation> operations) {
    return new HistoryTransaction(
        number,
        process,
        number,
        number + 1,
        outcome,
        operations,
        "",
        0,
        0,
        false,
        false,
        List.of(),
        HistoryTransaction.Freshness.STRICT,
        HistoryTransaction.NO_SESSION);
  }
}
