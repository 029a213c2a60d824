package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeException.Code;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ResultsTest {

  @Test
  void aThreadGoesOnAfterEveryAbortAndAfterNoFailure() {
    assertThat(Arrays.stream(Code.values()).filter(Results::isResult))
        .containsExactlyInAnyOrder(Code.CONFLICT, Code.ABORTED, Code.BLOCKED, Code.TIMEOUT);
  }
}
