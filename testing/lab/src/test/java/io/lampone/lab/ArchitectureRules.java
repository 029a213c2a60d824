package io.lampone.lab;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Rules for dependencies between modules and for access to clocks and other global state. */
final class ArchitectureRules {

  private static final String ROOT = "io.lampone";

  /** Module by module, the modules that it may use besides itself. A module is a package here. */
  private static final Map<String, Set<String>> ARROWS =
      Map.ofEntries(
          Map.entry("protocol", Set.of()),
          Map.entry("hbase", Set.of("protocol")),
          Map.entry("tmclient", Set.of("protocol")),
          Map.entry("tm", Set.of("protocol")),
          Map.entry("client", Set.of("protocol", "hbase", "tmclient")),
          Map.entry("coprocessor", Set.of("protocol", "hbase", "tmclient")),
          Map.entry("checker", Set.of()),
          Map.entry(
              "cluster", Set.of("protocol", "hbase", "tmclient", "tm", "client", "coprocessor")),
          Map.entry(
              "faultlab",
              Set.of(
                  "protocol",
                  "hbase",
                  "tmclient",
                  "tm",
                  "client",
                  "coprocessor",
                  "checker",
                  "cluster",
                  "phoenix")),
          Map.entry("ycsb", Set.of("protocol", "hbase", "tmclient", "client")),
          Map.entry("phoenix", Set.of("protocol", "hbase", "client")),
          Map.entry(
              "sql",
              Set.of(
                  "protocol",
                  "hbase",
                  "client",
                  "coprocessor",
                  "embedded",
                  "cli",
                  "phoenix",
                  "benchmarks")),
          // These bring their own subcommands.
          Map.entry("console", Set.of("protocol", "tm", "cli")),
          Map.entry(
              "benchmarks",
              Set.of(
                  "protocol",
                  "hbase",
                  "tmclient",
                  "tm",
                  "client",
                  "coprocessor",
                  "embedded",
                  "cli")),
          // Tests only, in the packages under test; no module may use it either.
          Map.entry("stress", Set.of("protocol", "tmclient", "coprocessor")),
          // The protocol's own code over a simulated world: uses all cores, and no HBase.
          Map.entry(
              "simulation",
              Set.of("protocol", "tmclient", "tm", "client", "coprocessor", "checker")),
          Map.entry(
              "embedded", Set.of("protocol", "hbase", "tmclient", "tm", "client", "coprocessor")),
          // The product: it uses neither the modules below testing nor the benchmarks.
          Map.entry(
              "cli",
              Set.of("protocol", "hbase", "tmclient", "tm", "client", "coprocessor", "embedded")),
          Map.entry(
              "lab",
              Set.of(
                  "cli", "checker", "cluster", "embedded", "simulation", "faultlab", "protocol")));

  private static final Set<String> NOW_METHODS = Set.of("currentTimeMillis", "nanoTime", "now");

  private static final List<Class<?>> NOW_TYPES =
      List.of(
          System.class,
          Instant.class,
          LocalDate.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class);

  /** Types whose static instance is shared mutable state even when the field is final. */
  private static final List<Class<?>> MUTABLE_TYPES =
      List.of(
          AbstractCollection.class,
          AbstractMap.class,
          ConcurrentMap.class,
          Executor.class,
          StringBuilder.class,
          Thread.class,
          ThreadLocal.class);

  private ArchitectureRules() {}

  static Stream<String> modules() {
    return ARROWS.keySet().stream().sorted();
  }

  static ArchRule arrows(String module) {
    String[] allowed =
        Stream.concat(Stream.of(module), ARROWS.get(module).stream())
            .map(ArchitectureRules::packages)
            .toArray(String[]::new);
    return noClasses()
        .that()
        .resideInAPackage(packages(module))
        .should()
        .dependOnClassesThat(resideInAPackage(ROOT + "..").and(not(resideInAnyPackage(allowed))))
        .as("module " + module + " uses only the modules " + ARROWS.get(module))
        .allowEmptyShould(true);
  }

  static ArchRule everyClassIsInAKnownModule() {
    String[] known = modules().map(ArchitectureRules::packages).toArray(String[]::new);
    return classes()
        .that()
        .resideInAPackage(ROOT + "..")
        .should()
        .resideInAnyPackage(known)
        .because("the arrows of a new module must be drawn in " + ArchitectureRules.class)
        .allowEmptyShould(true);
  }

  static ArchRule protocolIsPureJava() {
    return classes()
        .that()
        .resideInAPackage(packages("protocol"))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.crypto..",
            "javax.net..",
            "javax.security.auth..",
            "javax.security.sasl..",
            "org.jspecify..",
            packages("protocol"))
        .allowEmptyShould(true);
  }

  static ArchRule transactionManagerKnowsNoHBase() {
    return noClasses()
        .that()
        .resideInAPackage(packages("tm"))
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.apache.hadoop..")
        .allowEmptyShould(true);
  }

  static ArchRule coprocessorsBringNoLibraryIntoTheRegionServer() {
    return noClasses()
        .that()
        .resideInAPackage(packages("coprocessor"))
        .and()
        // HBase's own interface for services speaks of the protobuf that HBase brings.
        .doNotHaveSimpleName("EndpointGuard")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.netty..", "com.google.common..", "com.google.protobuf..", "org.apache.curator..")
        .allowEmptyShould(true);
  }

  static ArchRule coresKnowNoNetworkAndNoStorage() {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "..core..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.hadoop..", "org.apache.zookeeper..", "io.netty..", "org.apache.curator..")
        .allowEmptyShould(true);
  }

  static ArchRule coresOfTheClientSendNothingThemselves() {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + ".client.core..")
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(CompletableFuture.class, Executor.class, Thread.class, ThreadLocal.class)
        .because("machines give steps, and drivers carry them out")
        .allowEmptyShould(true);
  }

  static ArchRule oneModuleReadsTheClock() {
    return noClasses()
        .that()
        .resideInAPackage(ROOT + "..")
        .and()
        .resideOutsideOfPackages(ROOT + ".protocol.time..", packages("embedded"), packages("cli"))
        .should()
        .accessTargetWhere(readsASystemClock())
        .because("time enters by constructor, so that tests can hold it")
        .allowEmptyShould(true);
  }

  static ArchRule staticsDoNotChange() {
    return fields()
        .that()
        .areStatic()
        .and(not(describe("synthetic", field -> has(field, JavaModifier.SYNTHETIC))))
        .should(beConstant())
        .because("state belongs to an object that somebody made and can close")
        .allowEmptyShould(true);
  }

  private static String packages(String module) {
    return ROOT + "." + module + "..";
  }

  private static DescribedPredicate<JavaAccess<?>> readsASystemClock() {
    return describe(
        "reads a system clock",
        access -> {
          JavaClass owner = access.getTargetOwner();
          String name = access.getTarget().getName();
          if (owner.isEquivalentTo(Clock.class)) {
            return name.startsWith("system") || name.startsWith("tick");
          }
          if (owner.isEquivalentTo(Date.class)) {
            return name.equals("<init>");
          }
          return NOW_METHODS.contains(name) && NOW_TYPES.stream().anyMatch(owner::isEquivalentTo);
        });
  }

  private static ArchCondition<JavaField> beConstant() {
    return new ArchCondition<>("be constant") {
      @Override
      public void check(JavaField field, ConditionEvents events) {
        String flaw = flaw(field);
        if (!flaw.isEmpty()) {
          events.add(SimpleConditionEvent.violated(field, field.getFullName() + " " + flaw));
        }
      }
    };
  }

  private static String flaw(JavaField field) {
    JavaClass type = field.getRawType();
    if (!has(field, JavaModifier.FINAL)) {
      return "is not final";
    }
    if (type.isArray() && !has(field, JavaModifier.PRIVATE)) {
      return "is an array that others can write to";
    }
    if (type.getPackageName().equals("java.util.concurrent.atomic")
        || MUTABLE_TYPES.stream().anyMatch(type::isAssignableTo)) {
      return "has the mutable type " + type.getName();
    }
    return "";
  }

  private static boolean has(JavaField field, JavaModifier modifier) {
    return field.getModifiers().contains(modifier);
  }
}
