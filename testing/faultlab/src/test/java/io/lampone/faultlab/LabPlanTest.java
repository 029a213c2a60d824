package io.lampone.faultlab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.faultlab.fault.FaultKind;
import io.lampone.faultlab.work.WorkloadKind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class LabPlanTest {

  @Test
  void aPlanSurvivesTheWayIntoAnotherProcess() {
    LabPlan plan = plan(Duration.ofSeconds(40), List.of(FaultKind.KILL, FaultKind.ONE_WAY));
    Map<String, String> arguments = new HashMap<>();
    for (String argument : plan.arguments()) {
      int equals = argument.indexOf('=');
      arguments.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    assertThat(LabPlan.parse(arguments)).isEqualTo(plan);
    LabPlan quiet = plan(Duration.ofSeconds(40), List.of());
    assertThat(quiet.faults()).isEmpty();
  }

  @Test
  void aPlanThatShowsNothingIsRefused() {
    assertThatThrownBy(() -> plan(Duration.ofSeconds(14), List.of(FaultKind.KILL)))
        .hasMessageContaining("PT15S");
    assertThatThrownBy(() -> plan(Duration.ofSeconds(4), List.of())).hasMessageContaining("PT5S");
    assertThatThrownBy(
            () ->
                new LabPlan(
                    LabPlan.SHORTEST,
                    1,
                    List.of(),
                    List.of(),
                    Path.of("x"),
                    LabSize.SMALL,
                    RunTarget.ANYTHING))
        .hasMessageContaining("no workload");
    assertThatThrownBy(() -> plan(LabPlan.SHORTEST, List.of(), 101))
        .hasMessageContaining("percent=101");
    assertThatThrownBy(() -> new LabSize(1, 1, 0, 1, 1, 1)).hasMessageContaining("value=0");
    assertThatThrownBy(() -> LabSize.SMALL.withValidators(9)).hasMessageContaining("value=9");
    assertThatThrownBy(() -> plan(LabPlan.SHORTEST, List.of(FaultKind.BUCKET_MOVE)))
        .hasMessageContaining("bucket-move");
  }

  @Test
  void everyServerAndEveryClientHasAHost() {
    assertThat(LabSize.FULL.hosts())
        .hasSize(13)
        .doesNotHaveDuplicates()
        .contains("zk3", "master2", "rs3", "tm2", "client3");
    LabSize sharded = LabSize.FULL.withValidators(2);
    assertThat(sharded.hosts()).hasSize(15).contains("v1", "v2");
    assertThat(LabSize.parse(sharded.toString())).isEqualTo(sharded);
  }

  @Test
  void eachRoundHasTablesOfItsOwnAndTheWorkloadOfTwoHasTwo() {
    assertThat(WorkloadKind.MIX.tables(5)).containsExactly(TableName.valueOf("torture-mix-5"));
    assertThat(WorkloadKind.TWO_TABLES.tables(5))
        .containsExactly(
            TableName.valueOf("torture-two-tables-5"),
            TableName.valueOf("torture-two-tables-5-too"))
        .doesNotContainAnyElementsOf(WorkloadKind.TWO_TABLES.tables(6));
    assertThat(WorkloadKind.HONEST).contains(WorkloadKind.TWO_TABLES);
    LabPlan plan =
        new LabPlan(
            LabPlan.SHORTEST,
            5,
            List.of(WorkloadKind.TWO_TABLES, WorkloadKind.MIX),
            List.of(FaultKind.MOVE),
            Path.of("x"),
            LabSize.SMALL,
            RunTarget.ANYTHING);
    assertThat(plan.tables()).hasSize(3).doesNotHaveDuplicates();
  }

  @Test
  void phoenixIsOnNoClassPathUnlessSqlIsAskedFor() throws IOException {
    String own = System.getProperty("java.class.path");
    assertThat(WorkloadKind.HONEST).doesNotContain(WorkloadKind.SQL);
    assertThat(FaultLabMain.classPath(WorkloadKind.HONEST)).isEqualTo(own);
    assertThatThrownBy(() -> FaultLabMain.classPath(List.of(WorkloadKind.SQL)))
        .hasMessageContaining("lampone-sql-VERSION-bin.tar.gz");
    System.setProperty(FaultLabMain.SQL_JARS, "a.jar");
    try {
      assertThat(FaultLabMain.classPath(List.of(WorkloadKind.BANK, WorkloadKind.SQL)))
          .isEqualTo(own + File.pathSeparator + "a.jar");
    } finally {
      System.clearProperty(FaultLabMain.SQL_JARS);
    }
  }

  private static LabPlan plan(Duration length, List<FaultKind> faults) {
    return plan(length, faults, 30);
  }

  private static LabPlan plan(Duration length, List<FaultKind> faults, int serializablePercent) {
    return new LabPlan(
        length,
        5,
        List.of(WorkloadKind.BANK, WorkloadKind.MIX),
        faults,
        Path.of("x"),
        LabSize.SMALL,
        new RunTarget(500, 4),
        serializablePercent);
  }

  @Test
  void aSlowMachineMayTakeLongerUntilEnoughIsShown() {
    RunTarget enough = new RunTarget(500, 4);
    assertThat(enough.isReached(499, 4)).isFalse();
    assertThat(enough.isReached(500, 3)).isFalse();
    assertThat(enough.isReached(500, 4)).isTrue();
    assertThat(RunTarget.ANYTHING.isReached(0, 0)).isTrue();
    assertThat(plan(Duration.ofSeconds(40), List.of()).longest())
        .isEqualTo(Duration.ofSeconds(320));
  }
}
