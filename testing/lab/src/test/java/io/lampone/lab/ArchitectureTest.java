package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.lampone.cli.Lampone;
import io.lampone.cli.fixture.LabUser;
import io.lampone.client.core.fixture.FutureUser;
import io.lampone.client.fixture.ChangingStatics;
import io.lampone.client.fixture.ClockReader;
import io.lampone.coprocessor.fixture.ClientUser;
import io.lampone.coprocessor.fixture.NettyUser;
import io.lampone.embedded.EmbeddedHBase;
import io.lampone.faultlab.FaultLabMain;
import io.lampone.hbase.fixture.CoprocessorUser;
import io.lampone.protocol.fixture.HBaseUser;
import io.lampone.protocol.fixture.StorageUser;
import io.lampone.protocol.time.fixture.LawfulClockReader;
import io.lampone.tm.core.fixture.CuratorUser;
import io.lampone.unknown.fixture.Stray;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the main code of all modules against the rules, and fixtures that break them: a rule that
 * cannot fail is no rule. The fixtures are in the packages of the modules whose rules they break,
 * below {@code fixture}, in the tests of this module.
 */
class ArchitectureTest {

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.lampone");

  @Test
  void theImportSeesTheMainCodeAndNoFixture() {
    assertThat(MAIN.contain(Lampone.class)).isTrue();
    assertThat(MAIN.contain(EmbeddedHBase.class)).isTrue();
    assertThat(MAIN.contain(FaultLabMain.class)).isTrue();
    assertThat(MAIN.contain("io.lampone.benchmarks.command.BenchCommand")).isTrue();
    assertThat(MAIN.contain("io.lampone.phoenix.Bootstrap")).isTrue();
    assertThat(MAIN.contain(ClockReader.class)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("io.lampone.lab.ArchitectureRules#modules")
  void arrowsPointOneWay(String module) {
    ArchitectureRules.arrows(module).check(MAIN);
  }

  @Test
  void everyClassIsInAKnownModule() {
    ArchitectureRules.everyClassIsInAKnownModule().check(MAIN);
  }

  @Test
  void protocolIsPureJava() {
    ArchitectureRules.protocolIsPureJava().check(MAIN);
  }

  @Test
  void transactionManagerKnowsNoHBase() {
    ArchitectureRules.transactionManagerKnowsNoHBase().check(MAIN);
  }

  @Test
  void coprocessorsBringNoLibraryIntoTheRegionServer() {
    ArchitectureRules.coprocessorsBringNoLibraryIntoTheRegionServer().check(MAIN);
  }

  @Test
  void coresKnowNoNetworkAndNoStorage() {
    ArchitectureRules.coresKnowNoNetworkAndNoStorage().check(MAIN);
  }

  @Test
  void coresOfTheClientSendNothingThemselves() {
    ArchitectureRules.coresOfTheClientSendNothingThemselves().check(MAIN);
  }

  @Test
  void oneModuleReadsTheClock() {
    ArchitectureRules.oneModuleReadsTheClock().check(MAIN);
  }

  @Test
  void staticsDoNotChange() {
    ArchitectureRules.staticsDoNotChange().check(MAIN);
  }

  @Test
  void arrowsCanFail() {
    assertBroken(ArchitectureRules.arrows("protocol"), StorageUser.class);
    assertBroken(ArchitectureRules.arrows("hbase"), CoprocessorUser.class);
    assertBroken(ArchitectureRules.arrows("coprocessor"), ClientUser.class);
    assertBroken(ArchitectureRules.arrows("cli"), LabUser.class);
    assertKept(ArchitectureRules.arrows("coprocessor"), NettyUser.class);
  }

  @Test
  void anUnknownModuleIsNoticed() {
    assertBroken(ArchitectureRules.everyClassIsInAKnownModule(), Stray.class);
  }

  @Test
  void protocolRuleCanFail() {
    assertBroken(ArchitectureRules.protocolIsPureJava(), HBaseUser.class);
    assertKept(ArchitectureRules.protocolIsPureJava(), LawfulClockReader.class);
  }

  @Test
  void transactionManagerRuleCanFail() {
    assertBroken(
        ArchitectureRules.transactionManagerKnowsNoHBase(), io.lampone.tm.fixture.HBaseUser.class);
  }

  @Test
  void coprocessorRuleCanFail() {
    ArchRule rule = ArchitectureRules.coprocessorsBringNoLibraryIntoTheRegionServer();
    assertBroken(rule, NettyUser.class);
    assertKept(rule, ClientUser.class);
  }

  @Test
  void coreRuleCanFail() {
    assertBroken(ArchitectureRules.coresKnowNoNetworkAndNoStorage(), CuratorUser.class);
  }

  @Test
  void clientCoreRuleCanFail() {
    assertBroken(ArchitectureRules.coresOfTheClientSendNothingThemselves(), FutureUser.class);
  }

  @Test
  void clockRuleSeesCallsReferencesAndClocks() {
    ArchRule rule = ArchitectureRules.oneModuleReadsTheClock();
    assertThat(flaws(rule, ClockReader.class)).hasSize(4);
    assertKept(rule, LawfulClockReader.class);
  }

  @Test
  void staticsRuleSeesFieldsArraysAndContainers() {
    assertThat(flaws(ArchitectureRules.staticsDoNotChange(), ChangingStatics.class))
        .hasSize(4)
        .anyMatch(flaw -> flaw.contains("counter is not final"))
        .anyMatch(flaw -> flaw.contains("BYTES is an array"))
        .anyMatch(flaw -> flaw.contains("TOTAL has the mutable type"))
        .anyMatch(flaw -> flaw.contains("CACHE has the mutable type"));
  }

  private static void assertBroken(ArchRule rule, Class<?> fixture) {
    assertThat(flaws(rule, fixture)).as(rule.getDescription()).isNotEmpty();
  }

  private static void assertKept(ArchRule rule, Class<?> fixture) {
    assertThat(flaws(rule, fixture)).as(rule.getDescription()).isEmpty();
  }

  private static List<String> flaws(ArchRule rule, Class<?> fixture) {
    return rule.evaluate(new ClassFileImporter().importClasses(fixture))
        .getFailureReport()
        .getDetails();
  }
}
