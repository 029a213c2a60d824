package io.lampone.checker.format;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;

final class EdnWriterTest {

  @Test
  void linesAreInTheOrderOfTime_invocationsFirst_andReadsOnlyOfWhatHasCommitted()
      throws IOException {
    assertThat(
            edn(
                """
                {"txnhist":1,"workload":"list-append","claim":"strong-si"}
                {"type":"invoke","process":0,"time":10,"value":[["r",1,null],["append",1,7]]}
                {"type":"ok","process":0,"time":20,"value":[["r",1,[5,6]],["append",1,7]]}
                {"type":"invoke","process":1,"time":20,"value":[["r",1,null],["append",1,8]]}
                {"type":"fail","process":1,"time":25,"error":"conflict"}
                {"type":"invoke","process":2,"time":5,"value":[["append",2,9]]}
                {"type":"info","process":2,"time":30,"error":"lost","txn":"17"}
                {"type":"resolve","txn":"17","outcome":"aborted"}
                {"type":"invoke","process":3,"time":1,"value":[["r",2,null]]}
                """))
        .isEqualTo(
            """
            {:index 0, :type :invoke, :process 3, :time 1, :f :txn, :value []}
            {:index 1, :type :invoke, :process 2, :time 5, :f :txn, :value [[:append 2 9]]}
            {:index 2, :type :invoke, :process 0, :time 10, :f :txn, :value [[:r 1 nil] [:append 1 7]]}
            {:index 3, :type :invoke, :process 1, :time 20, :f :txn, :value [[:append 1 8]]}
            {:index 4, :type :ok, :process 0, :time 20, :f :txn, :value [[:r 1 [5 6]] [:append 1 7]]}
            {:index 5, :type :fail, :process 1, :time 25, :f :txn, :value [[:append 1 8]]}
            {:index 6, :type :info, :process 2, :time 25, :f :txn, :value [[:append 2 9]]}
            {:index 7, :type :info, :process 3, :time 25, :f :txn, :value []}
            """);
  }

  @Test
  void registersHaveOneValueOrNone_andKeysMayBeText() throws IOException {
    assertThat(
            edn(
                """
                {"txnhist":1,"workload":"rw-register","claim":"si"}
                {"type":"invoke","process":0,"time":1,"value":[["r","a\\"b",null],["r",2,null],["w",2,4]]}
                {"type":"ok","process":0,"time":2,"value":[["r","a\\"b",3],["r",2,null],["w",2,4]]}
                """))
        .endsWith(":value [[:r \"a\\\"b\" 3] [:r 2 nil] [:w 2 4]]}\n");
  }

  /** On both lines, whichever of them has it in the history; for filters, as Elle ignores it. */
  @Test
  void theFreshnessIsKept_unlessItIsStrict() throws IOException {
    assertThat(
            edn(
                """
                {"txnhist":1,"workload":"list-append","claim":"strong-si"}
                {"type":"invoke","process":0,"time":10,"freshness":"session","value":[["append",1,7]]}
                {"type":"ok","process":0,"time":20,"value":[["append",1,7]]}
                {"type":"invoke","process":1,"time":30,"value":[["r",1,null]]}
                {"type":"ok","process":1,"time":40,"freshness":"latest","value":[["r",1,[7]]]}
                """))
        .isEqualTo(
            """
            {:index 0, :type :invoke, :process 0, :time 10, :freshness :session, :f :txn, :value [[:append 1 7]]}
            {:index 1, :type :ok, :process 0, :time 20, :freshness :session, :f :txn, :value [[:append 1 7]]}
            {:index 2, :type :invoke, :process 1, :time 30, :freshness :latest, :f :txn, :value [[:r 1 nil]]}
            {:index 3, :type :ok, :process 1, :time 40, :freshness :latest, :f :txn, :value [[:r 1 [7]]]}
            """);
  }

  /** Two clocks may differ by the slack: what may have overlapped must not be ordered. */
  @Test
  void theSlackOfTheClocksMovesInvocationsBackAndCompletionsForth() throws IOException {
    assertThat(
            edn("""
                {"txnhist":1,"workload":"list-append","claim":"strong-si","clock_slack_ns":10}
                {"type":"invoke","process":0,"time":100,"value":[["append",1,1]]}
                {"type":"ok","process":0,"time":110,"value":[["append",1,1]]}
                {"type":"invoke","process":1,"time":125,"value":[["r",1,null]]}
                {"type":"ok","process":1,"time":130,"value":[["r",1,[]]]}
                """)
                .lines()
                .map(
                    line ->
                        line.replaceAll(
                            ".*:type :(\\w+), :process (.), :time (\\d+),.*", "$1 $2 $3")))
        .containsExactly("invoke 0 90", "invoke 1 115", "ok 0 120", "ok 1 140");
  }

  private static String edn(String history) throws IOException {
    StringBuilder out = new StringBuilder();
    EdnWriter.write(HistoryReader.readUnresolved(new StringReader(history)), out);
    return out.toString();
  }
}
