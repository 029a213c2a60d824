package io.lampone.faultlab.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.Freshness;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests that writers begin in each way that they may. */
class OptionChoiceTest {

  @Test
  void aPartOfTheWritersBeginsOnASnapshotAtHand() {
    Random random = new Random(1);
    assertThat(IntStream.range(0, 200).mapToObj(i -> OptionChoice.any(random)))
        .noneMatch(options -> options.readOnly())
        .extracting(options -> options.freshness())
        .contains(Freshness.STRICT, Freshness.SESSION)
        .doesNotContain(Freshness.LATEST);
  }

  @Test
  void theLargeWorkloadIsSerializableUnlessValuesOfItsTablesExpire() {
    for (boolean allSerializable : new boolean[] {true, false}) {
      boolean expires = WorkloadKind.LARGE.expires(allSerializable);
      // Without an isolation of its own a transaction has that of the run.
      assertThat(LargeWorkload.writing(allSerializable, new Random(1)).isolation().isEmpty())
          .isEqualTo(!expires)
          .isEqualTo(allSerializable);
    }
  }
}
