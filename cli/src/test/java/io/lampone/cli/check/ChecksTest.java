package io.lampone.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.check.ClocksCheck.Skew;
import io.lampone.cli.check.Finding.Level;
import io.lampone.cli.check.ManagersCheck.Manager;
import io.lampone.cli.check.PermissionsCheck.Permissions;
import io.lampone.cli.check.ServersCheck.Server;
import io.lampone.cli.manager.ValidatorsReport;
import io.lampone.hbase.ServerAnswer;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Compatibility;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.tm.ManagerRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Outcomes of each check. */
class ChecksTest {

  private static final String OWN = ServerAnswer.ownVersion();
  private static final int REQUESTS = Compatibility.REQUESTS;
  private static final ServerAnswer RIGHT = answer(OWN, REQUESTS, REQUESTS, "17.0.2", "");
  private static final ManagerRecord RECORD =
      new ManagerRecord(
          3, "h", "tm1:17310", 1, 2000, false, 9, 8, 0, Optional.empty(), Optional.empty());
  private static final Manager PRIMARY =
      new Manager("tm1:17310", "primary", 1500, false, true, "1", "");
  private static final Manager BACKUP =
      new Manager("tm2:17310", "backup", -1, false, true, "1", "");

  @Test
  void aManagerWithoutClusterKeyIsToldOf() {
    assertThat(managers(PRIMARY, BACKUP)).isEqualTo(Level.OK);
    assertThat(managers(new Manager("tm1:1", "primary", 9, false, false, "1", ""), BACKUP))
        .isEqualTo(Level.WARN);
    assertThat(managers(new Manager("127.0.0.1:1", "primary", 9, false, false, "1", ""), BACKUP))
        .isEqualTo(Level.OK);
  }

  @Test
  void securityThatIsBeingSwitchedOnIsToldOfWithThoseWhoAreMissing() {
    Manager permissive =
        new Manager("tm1:1", "primary", 9, false, true, "1", "", "permissive; missing: shop", "");
    assertThat(managers(permissive, BACKUP)).isEqualTo(Level.WARN);
    assertThat(ManagersCheck.judge(Optional.of(RECORD), List.of(permissive, BACKUP)))
        .anyMatch(finding -> finding.toString().contains("missing: shop"));
  }

  @Test
  void aManagerWhoseClockIsNotBelievedFailsWithItsComplaint() {
    Manager ahead =
        new Manager(
            "tm2:1",
            "backup",
            -1,
            false,
            true,
            "1",
            "",
            "",
            "the clock is 9000 ms ahead of others");
    assertThat(managers(PRIMARY, ahead)).isEqualTo(Level.FAIL);
    assertThat(ManagersCheck.judge(Optional.of(RECORD), List.of(PRIMARY, ahead)))
        .anySatisfy(
            finding -> {
              assertThat(finding.found()).contains("9000 ms ahead");
              assertThat(finding.advice()).contains("clock");
            });
  }

  @Test
  void validatorsThatAreLostIdleForeignOrTooSmallAreToldOfWithWhatToDo() {
    Instant now = Instant.ofEpochMilli(1_700_000_000_000L);
    ValidatorsReport report =
        new ValidatorsReport(
            840,
            12,
            List.of(
                new ValidatorsReport.Owner("v1", "a:1", 840, 7, 100, 0, 0),
                new ValidatorsReport.Owner("v2", "b:1", 840, 7, 100, 1, 59_999),
                new ValidatorsReport.Owner("v3", "b:1", 840, 7, 100, 1, 60_000)),
            List.of(
                new ValidatorsReport.Idle("v4", "c:1", ""),
                new ValidatorsReport.Idle("v5", "d:1", "it has another cluster key")),
            List.of(
                new ValidatorsReport.Lost("v6", "e:1", now.toEpochMilli() - 1, "closed"),
                new ValidatorsReport.Lost("v1", "a:1", now.toEpochMilli() - 1, "came back"),
                new ValidatorsReport.Lost("v7", "f:1", now.toEpochMilli() - 86_400_000, "old")));
    List<Finding> findings = ValidatorsCheck.judge(report, now);
    assertThat(levels(findings))
        .containsExactly(
            Level.OK, Level.WARN, Level.OK, Level.WARN, Level.FAIL, Level.WARN, Level.WARN);
    assertThat(findings.get(0).line()).contains("v1 at a:1: votes, 840 buckets");
    assertThat(findings.get(1).line())
        .contains(
            "v2 at b:1", "too small", "older than 59 s", "lampone.tm.conflict.table.capacity");
    assertThat(findings.get(3).line())
        .contains("v4 at c:1", "without a share", "'lampone validator add v4'");
    assertThat(findings.get(4).line()).contains("v5 at d:1", "it has another cluster key");
    assertThat(findings.get(5).line())
        .contains(
            "v6 at e:1: was lost at 2023-11-14T22:13:19Z: closed", "'lampone validator add v6'");
    assertThat(findings.get(6).line()).contains("12 buckets had a validator that was lost");
  }

  @Test
  void withoutValidatorsNothingIsSaidOfThem() {
    ValidatorsReport none = new ValidatorsReport(2520, 0, List.of(), List.of(), List.of());
    assertThat(ValidatorsCheck.judge(none, Instant.EPOCH)).isEmpty();
  }

  @Test
  void serversAsTheyShouldBe() {
    assertThat(levels(ServersCheck.judge(List.of(server("2.6.4-hadoop3", RIGHT)))))
        .containsOnly(Level.OK);
  }

  @Test
  void noServerAtAllFails() {
    assertThat(worst(ServersCheck.judge(List.of()))).isEqualTo(Level.FAIL);
  }

  @Test
  void anotherHBaseIsUntestedOrUnsupported() {
    assertThat(worst(ServersCheck.judge(List.of(server("2.6.1", RIGHT))))).isEqualTo(Level.WARN);
    assertThat(worst(ServersCheck.judge(List.of(server("2.6.40", RIGHT))))).isEqualTo(Level.WARN);
    assertThat(worst(ServersCheck.judge(List.of(server("2.5.12", RIGHT))))).isEqualTo(Level.WARN);
    assertThat(worst(ServersCheck.judge(List.of(server("2.4.18", RIGHT))))).isEqualTo(Level.FAIL);
    assertThat(worst(ServersCheck.judge(List.of(server("3.0.0", RIGHT))))).isEqualTo(Level.FAIL);
    assertThat(ServersCheck.judge(List.of(server("2.5.12", RIGHT))).get(0).found())
        .isEqualTo("version 2.5.12 has not passed all tests");
    assertThat(ServersCheck.judge(List.of(server("2.4.18", RIGHT))).get(0).advice())
        .isEqualTo("use HBase 2.5.12 or 2.6.4");
    // The master reports this version for a server that has not reported yet.
    assertThat(worst(ServersCheck.judge(List.of(server("0.0.0", RIGHT))))).isEqualTo(Level.WARN);
  }

  @Test
  void aServerWithoutTheJarFailsAndOneWithoutARegionIsNotKnown() {
    Server without = new Server("rs1:1", "2.6.4", Optional.empty(), "the jar is not there", true);
    assertThat(ServersCheck.judge(List.of(without)))
        .anySatisfy(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.FAIL);
              assertThat(finding.advice()).contains("copy", "BEFORE a table is enabled");
            });
    Server idle = new Server("rs1:1", "2.6.4", Optional.empty(), "", false);
    assertThat(worst(ServersCheck.judge(List.of(idle)))).isEqualTo(Level.WARN);
  }

  @Test
  void anObserverThatCannotBeLoadedAnOldJavaAndOtherRequestsFail() {
    assertThat(coprocessor(answer(OWN, REQUESTS, REQUESTS, "17", "NoClassDefFoundError: x")))
        .isEqualTo(Level.FAIL);
    assertThat(coprocessor(answer(OWN, REQUESTS, REQUESTS, "1.8.0_99", ""))).isEqualTo(Level.FAIL);
    assertThat(coprocessor(answer(OWN, REQUESTS, REQUESTS, "11.0.2", ""))).isEqualTo(Level.WARN);
    assertThat(coprocessor(answer("9", REQUESTS + 1, REQUESTS + 2, "17", "")))
        .isEqualTo(Level.FAIL);
    assertThat(coprocessor(answer("0", REQUESTS - 1, REQUESTS - 1, "17", "")))
        .isEqualTo(Level.FAIL);
  }

  @Test
  void anotherVersionThatReadsOurRequestsWarns() {
    ServerAnswer newer = answer("9", REQUESTS, REQUESTS + 1, "17", "");
    assertThat(coprocessor(newer)).isEqualTo(Level.WARN);
    List<Finding> mixed =
        ServersCheck.judge(List.of(server("2.6.4", RIGHT), server("2.6.4", newer)));
    assertThat(mixed).anyMatch(finding -> finding.found().contains("different versions"));
  }

  @Test
  void aPrimaryAndABackupAreAsTheyShouldBe() {
    assertThat(levels(ManagersCheck.judge(Optional.of(RECORD), List.of(PRIMARY, BACKUP))))
        .containsOnly(Level.OK);
  }

  @Test
  void aMissingAReleasedAndAnUnreadableRecordFail() {
    assertThat(worst(ManagersCheck.judge(Optional.empty(), List.of()))).isEqualTo(Level.FAIL);
    ManagerRecord released =
        new ManagerRecord(
            3, "h", "tm1:17310", 1, 2000, true, 9, 8, 0, Optional.empty(), Optional.empty());
    assertThat(worst(ManagersCheck.judge(Optional.of(released), List.of(PRIMARY, BACKUP))))
        .isEqualTo(Level.FAIL);
    assertThat(ManagersCheck.unreadable("x").level()).isEqualTo(Level.FAIL);
  }

  @Test
  void managersThatAreSilentWithoutALeaseAloneOrDifferent() {
    assertThat(managers(BACKUP)).isEqualTo(Level.FAIL);
    assertThat(
            managers(
                new Manager("tm1:1", "", -1, false, true, "1", "connection refused"),
                PRIMARY,
                BACKUP))
        .isEqualTo(Level.FAIL);
    assertThat(managers(new Manager("tm1:1", "primary", 0, false, true, "1", ""), BACKUP))
        .isEqualTo(Level.FAIL);
    assertThat(managers(PRIMARY)).isEqualTo(Level.WARN);
    assertThat(managers(PRIMARY, new Manager("tm2:1", "backup", -1, false, true, "2", "")))
        .isEqualTo(Level.WARN);
  }

  /** Finding Z1. */
  @Test
  void znodesThatEverybodyMayChangeFailUnlessOnlyThisMachineIsConcerned() {
    assertThat(ManagersCheck.open(List.of(), List.of(PRIMARY))).isEmpty();
    List<String> open = List.of("/lampone", "/lampone/tm");
    assertThat(ManagersCheck.open(open, List.of(PRIMARY, BACKUP)))
        .hasValueSatisfying(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.FAIL);
              assertThat(finding.found()).contains("/lampone, /lampone/tm");
            });
    assertThat(ManagersCheck.open(open, List.of())).isPresent();
    Manager local = new Manager("127.0.0.1:17310", "primary", 9, false, true, "1", "");
    assertThat(ManagersCheck.open(open, List.of(local)).orElseThrow().level()).isEqualTo(Level.OK);
    assertThat(ManagersCheck.open(open, List.of(local, BACKUP)).orElseThrow().level())
        .isEqualTo(Level.FAIL);
  }

  @Test
  void aBackupThatIsDrainedIsNone() {
    Manager drained = new Manager("tm2:1", "backup", -1, true, true, "1", "");
    assertThat(ManagersCheck.judge(Optional.of(RECORD), List.of(PRIMARY, drained)))
        .anySatisfy(
            finding -> {
              assertThat(finding.level()).isEqualTo(Level.WARN);
              assertThat(finding.found()).contains("drained");
            })
        .anySatisfy(finding -> assertThat(finding.found()).contains("there is no backup"));
    assertThat(ManagersCheck.judge(Optional.of(RECORD), List.of(PRIMARY, BACKUP, drained)))
        .noneMatch(finding -> finding.found().contains("there is no backup"));
  }

  @Test
  void clocksAreComparedWithTheTransactionManagers() {
    Skew manager = new Skew("the transaction manager", 100_000, 5);
    List<Finding> near = ClocksCheck.judge(List.of(manager, new Skew("rs1", 100_500, 5)));
    // Only this machine is 100 s behind.
    assertThat(near).extracting(Finding::level).containsExactly(Level.FAIL, Level.OK);
    assertThat(worst(ClocksCheck.judge(List.of(new Skew("m", 0, 1), new Skew("rs1", 5_000, 1)))))
        .isEqualTo(Level.WARN);
    assertThat(worst(ClocksCheck.judge(List.of(new Skew("m", 0, 1), new Skew("rs1", -60_000, 1)))))
        .isEqualTo(Level.FAIL);
    // Slow replies prove nothing.
    assertThat(
            worst(ClocksCheck.judge(List.of(new Skew("m", 0, 1), new Skew("rs1", 5_000, 9_000)))))
        .isEqualTo(Level.OK);
    assertThat(worst(ClocksCheck.judge(List.of()))).isEqualTo(Level.WARN);
    assertThat(Skew.between("x", 1_000, 1_600, 1_200)).isEqualTo(new Skew("x", 500, 101));
  }

  @Test
  void tablesAsTheyShouldBeAndPlainOnes() throws IOException {
    TableDescriptor plain = TableDescriptorBuilder.newBuilder(TableName.valueOf("p")).build();
    assertThat(
            TablesCheck.judge(
                List.of(plain, table(Phase.ENABLED, true, HConstants.ALL_VERSIONS)), Map.of(), 0))
        .hasSize(1)
        .allMatch(finding -> finding.level() == Level.OK);
    assertThat(worst(TablesCheck.judge(List.of(plain), Map.of(), 0))).isEqualTo(Level.OK);
  }

  @Test
  void tablesThatARestoreHasLeft() throws IOException {
    TableDescriptor filling =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("r"))
            .setValue(TableSettings.RESTORING_KEY, "backup")
            .build();
    TableDescriptor opening =
        TableDescriptorBuilder.newBuilder(table(Phase.CHANGING, true, HConstants.ALL_VERSIONS))
            .setValue(TableSettings.RESTORING_KEY, "backup")
            .build();
    assertThat(TablesCheck.judge(List.of(filling, opening), Map.of(), 0))
        .hasSize(2)
        .allMatch(finding -> finding.level() == Level.WARN)
        .allMatch(finding -> finding.toString().contains("lampone restore"))
        .allMatch(finding -> finding.toString().contains("drop the table"));
  }

  @Test
  void tablesThatAreChangingOrWereChangedByHand() throws IOException {
    assertThat(tables(table(Phase.CHANGING, true, HConstants.ALL_VERSIONS))).isEqualTo(Level.WARN);
    assertThat(tables(table(Phase.ENABLED, false, HConstants.ALL_VERSIONS))).isEqualTo(Level.FAIL);
    assertThat(tables(table(Phase.ENABLED, true, 1))).isEqualTo(Level.FAIL);
    TableDescriptor right = table(Phase.ENABLED, true, HConstants.ALL_VERSIONS);
    assertThat(tables(TableSettings.removeFrom(TableDescriptorBuilder.newBuilder(right)).build()))
        .isEqualTo(Level.FAIL);
    assertThat(
            tables(
                TableDescriptorBuilder.newBuilder(right)
                    .setValue(TableSettings.LEVEL_KEY, "TABLE")
                    .build()))
        .isEqualTo(Level.FAIL);
    assertThat(
            tables(
                TableDescriptorBuilder.newBuilder(right)
                    .removeCoprocessor(TableSettings.COPROCESSOR)
                    .setCoprocessor(TableSettings.COPROCESSOR)
                    .build()))
        .isEqualTo(Level.FAIL);
  }

  @Test
  void aSchemaThatWasChangedIsForTheDoctorAndIsNoLossOfVersions() throws IOException {
    TableDescriptor right = table(Phase.ENABLED, true, HConstants.ALL_VERSIONS);
    ColumnFamilyDescriptor family = right.getColumnFamilies()[0];
    TableDescriptor replicated =
        TableDescriptorBuilder.newBuilder(right)
            .modifyColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(family)
                    .setScope(HConstants.REPLICATION_SCOPE_GLOBAL)
                    .build())
            .build();
    assertThat(TablesCheck.judge(List.of(table(Phase.ENABLED, true, 1), replicated), Map.of(), 0))
        .hasSize(2)
        .allMatch(finding -> finding.level() == Level.FAIL)
        .allMatch(finding -> finding.advice().contains("'lampone doctor t'"))
        .noneMatch(finding -> finding.toString().contains("lets HBase drop"));
  }

  /** The doctor leaves its schema alone until then. */
  @Test
  void aTableThatIsChangingIsOpenedBeforeTheDoctorCorrectsItsSchema() throws IOException {
    assertThat(TablesCheck.judge(List.of(table(Phase.CHANGING, true, 1)), Map.of(), 0))
        .singleElement()
        .satisfies(
            finding ->
                assertThat(finding.advice())
                    .containsSubsequence("'lampone table enable t'", "'lampone doctor t'"));
  }

  @Test
  void permissions() {
    assertThat(permissions(new Permissions(false, "u", true, Map.of()))).isEqualTo(Level.OK);
    assertThat(permissions(new Permissions(true, "u", true, Map.of("t", true))))
        .isEqualTo(Level.OK);
    assertThat(permissions(new Permissions(true, "u", false, Map.of()))).isEqualTo(Level.WARN);
    assertThat(permissions(new Permissions(true, "u", true, Map.of("t", false))))
        .isEqualTo(Level.FAIL);
  }

  @Test
  void whateverIsNotWellSaysWhatToDo() {
    List<Finding> findings = ManagersCheck.judge(Optional.empty(), List.of(PRIMARY));
    assertThat(findings)
        .filteredOn(finding -> finding.level() != Level.OK)
        .isNotEmpty()
        .allMatch(finding -> !finding.advice().isBlank());
  }

  private static TableDescriptor table(Phase phase, boolean observer, int versions)
      throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder("f".getBytes())
                    .setMaxVersions(versions)
                    .setInMemoryCompaction(org.apache.hadoop.hbase.MemoryCompactionPolicy.NONE)
                    .setNewVersionBehavior(false)
                    .build());
    new TableSettings(phase, ConflictLevel.ROW, Timestamps.PLAIN_LIMIT).applyTo(table);
    if (observer) {
      table.setCoprocessor(
          CoprocessorDescriptorBuilder.newBuilder(TableSettings.COPROCESSOR)
              .setPriority(TableSettings.COPROCESSOR_PRIORITY)
              .build());
    }
    return table.build();
  }

  private static Server server(String hbase, ServerAnswer answer) {
    return new Server("rs1:16020", hbase, Optional.of(answer), "", true);
  }

  private static Level coprocessor(ServerAnswer answer) {
    return worst(ServersCheck.judge(List.of(server("2.6.4", answer))));
  }

  private static Level managers(Manager... managers) {
    return worst(ManagersCheck.judge(Optional.of(RECORD), List.of(managers)));
  }

  private static Level tables(TableDescriptor table) {
    return worst(TablesCheck.judge(List.of(table), Map.of(), 0));
  }

  private static Level permissions(Permissions permissions) {
    return worst(PermissionsCheck.judge(permissions));
  }

  private static List<Level> levels(List<Finding> findings) {
    return findings.stream().map(Finding::level).toList();
  }

  private static Level worst(List<Finding> findings) {
    return findings.stream().map(Finding::level).max(Level::compareTo).orElseThrow();
  }

  private static ServerAnswer answer(
      String version, int oldest, int newest, String java, String failure) {
    return new ServerAnswer(version, oldest, newest, "2.6.4", java, 0, failure);
  }
}
