package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenTransactionTableTest {

  @Test
  void noTransaction_isSaid() throws IOException {
    assertThat(lines("{\"reported\":0,\"transactions\":[]}"))
        .containsExactly("No transaction has been open for more than a second.");
  }

  @Test
  void transactions_areLines_andLateReportsAreMarked() throws IOException {
    List<String> lines =
        lines(
            """
            {"reported":7,"transactions":[
             {"principal":"alice","remote":"/10.0.0.7:4321","startTimestamp":512,
              "ageMillis":75234,"tables":"accounts,history","reportedMillisAgo":400},
             {"principal":"","remote":"/10.0.0.8:1","startTimestamp":768,
              "ageMillis":1500,"tables":"","reportedMillisAgo":61000}]}
            """);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0)).contains("AGE", "START", "PRINCIPAL", "CLIENT", "TABLES");
    assertThat(lines.get(1))
        .contains("75.2 s", "512", "alice", "/10.0.0.7:4321")
        .endsWith("accounts,history");
    assertThat(lines.get(2)).contains("1.5 s", "768").endsWith("(reported 61.0 s ago)");
    assertThat(lines.get(3)).isEqualTo("and 5 younger ones");
  }

  private static List<String> lines(String json) throws IOException {
    return new OpenTransactionTable(new ObjectMapper().readTree(json)).lines();
  }
}
