package io.lampone.faultlab.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class EventCountsTest {

  @Test
  void countsSurviveTheWayToTheLabAndAreAddedUp() {
    EventCounts counts = EventCounts.parse("a=1 b.c=20");
    assertThat(EventCounts.parse(counts.toString())).isEqualTo(counts);
    assertThat(EventCounts.parse(EventCounts.NONE.toString())).isEqualTo(EventCounts.NONE);
    assertThat(counts.plus(EventCounts.parse("b.c=2 d=3")))
        .isEqualTo(EventCounts.parse("a=1 b.c=22 d=3"));
    assertThat(counts.plus("a", 0)).isEqualTo(counts);
  }

  @Test
  void aProcessThatBeganAgainCountsFromZero() {
    EventCounts before = EventCounts.parse("a=10 b=10 gone=5");
    assertThat(EventCounts.parse("a=12 b=3 gone=5 new=1").since(before))
        .isEqualTo(EventCounts.parse("a=2 b=3 new=1"));
  }

  @Test
  void theCountersOfATransactionManagerAreEvents() {
    String page =
        """
        # TYPE lampone_tm_begins counter
        lampone_tm_begins_total 12345
        lampone_tm_validations_refused_total{reason="below-floor"} 7
        lampone_tm_validations_refused_total{reason="forgotten"} 0
        lampone_tm_tenants_refused_total{tenant="others"} 3
        lampone_tm_epoch 4
        """;
    assertThat(ManagerEvents.parse(page))
        .isEqualTo(
            EventCounts.parse("manager.begins=12345 manager.validations-refused.below-floor=7"));
  }

  @Test
  void onlyARunThatCanSeeAnEventMustHaveSeenIt() {
    RequiredEvents required =
        RequiredEvents.parse(
            List.of("# comment", "", "always", "killed: kill rolling", "both: mix large: kill"));
    EventCounts seen = EventCounts.parse("always=1");
    assertThat(required.neverSeen(seen, List.of("bank", "move"))).isEmpty();
    assertThat(required.neverSeen(seen, List.of("bank", "kill"))).containsExactly("killed");
    assertThat(required.neverSeen(seen, List.of("mix", "rolling"))).containsExactly("killed");
    assertThat(required.neverSeen(EventCounts.NONE, List.of("large", "kill")))
        .containsExactly("always", "killed", "both");
  }

  @Test
  void theListNamesOnlyWorkloadsAndFaultsThatThereAre() {
    Set<String> known = new HashSet<>();
    Arrays.stream(WorkloadKind.values()).map(WorkloadKind::label).forEach(known::add);
    Arrays.stream(FaultKind.values()).map(FaultKind::label).forEach(known::add);
    assertThat(known).containsAll(RequiredEvents.read().labels());
  }
}
