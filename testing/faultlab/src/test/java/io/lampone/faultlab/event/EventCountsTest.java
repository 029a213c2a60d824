package io.lampone.faultlab.event;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import io.lampone.protocol.request.Refusal;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
    known.add(RequiredEvents.SERIALIZABLE);
    known.add(RequiredEvents.VALIDATORS);
    known.add(RequiredEvents.SHORT_RETENTION);
    assertThat(known).containsAll(RequiredEvents.read().labels());
  }

  @Test
  void aRunWithValidatorsMustHaveSeenThemVote() {
    assertThat(
            RequiredEvents.read()
                .neverSeen(EventCounts.NONE, List.of(RequiredEvents.VALIDATORS, "bank")))
        .contains("lab.votes", "manager.validations-assigned")
        .doesNotContain("client.transaction.conflict.read-write", "region.cells-dropped");
    assertThat(RequiredEvents.read().neverSeen(EventCounts.NONE, List.of("bank")))
        .doesNotContain("lab.votes");
  }

  @Test
  void aRefusalOfAValidRequestIsForbidden() {
    assertThat(
            RequiredEvents.forbidden(
                EventCounts.parse("client.refused.unsupported=1 client.refused.conflict=4")))
        .containsExactly("client.refused.unsupported");
    assertThat(RequiredEvents.forbidden(EventCounts.parse("client.refused.undecided=9"))).isEmpty();
  }

  /** A code that is renamed must not drop out of the list. */
  @Test
  void theForbiddenEventsAreRefusalsThatThereAre() {
    StringBuilder every = new StringBuilder();
    for (Refusal.Code code : Refusal.Code.values()) {
      String name = code.name().toLowerCase(Locale.ROOT).replace('_', '-');
      every.append(" client.refused.").append(name).append("=1");
    }
    assertThat(RequiredEvents.forbidden(EventCounts.parse(every.toString()))).hasSize(7);
  }
}
