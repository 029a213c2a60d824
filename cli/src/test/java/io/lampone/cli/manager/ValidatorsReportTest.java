package io.lampone.cli.manager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Table of {@code lampone validator list}, from the primary's answer. */
final class ValidatorsReportTest {

  @Test
  void theTableIsForPeople() throws IOException {
    String answer =
        """
        {"version":9,"bucketsOfPrimary":840,"earlierEras":3,"lostEras":0,"validators":[
        {"name":"v1","address":"a:17310","buckets":840,"votesPerSecond":1200,"silentMillis":150,
        "votes":9,"hashes":9,"entries":4,"capacity":100,"lowWatermark":1700000000123456789,
        "lowLagMillis":84000},
        {"name":"v2","address":"b:17310","buckets":840,"votesPerSecond":0,"silentMillis":700,
        "lowWatermark":0},
        {"name":"v3","address":"c:17310","buckets":0,"votesPerSecond":0,"silentMillis":1}],
        "idle":[{"name":"v4","address":"d:17310","problem":""},{"name":"v6","address":"f:1"}],
        "lost":[{"name":"v5","address":"e:17310","atMillis":1700000000999,"problem":"closed"},
        {"name":"v1","address":"a:17310","atMillis":1700000000999,"problem":"has a share again"}]}
        """;
    assertThat(ValidatorsReport.of(new ObjectMapper().readTree(answer)).lines())
        .containsExactly(
            "VALIDATOR         ADDRESS                   BUCKETS    VOTES/S  STATE           REMEMBERS",
            "primary           -                             840          -  -               -",
            "v1                a:17310                       840       1200  votes           since"
                + " 2023-11-14T22:13:20Z, 1 min",
            "v2                b:17310                       840          0  silent 0.7 s    all",
            "v3                c:17310                         0          0  leaving         all",
            "v4                d:17310                         -          -  no share",
            "v6                f:1                             -          -  no share",
            "v5                e:17310                         -          -  lost            at"
                + " 2023-11-14T22:13:20Z: closed");
  }
}
