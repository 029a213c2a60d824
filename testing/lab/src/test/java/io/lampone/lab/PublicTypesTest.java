package io.lampone.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Types that an application meets: of the client, HBase and Java, with a few exceptions. */
class PublicTypesTest {

  /** Of servers and clients alike: the level of a table, ids, and the engine for SQL. */
  private static final Set<String> SHARED =
      Set.of(
          "io.lampone.client.spi.TransactionEngine",
          "io.lampone.hbase.TableSettings$PlainClients",
          "io.lampone.protocol.Bytes",
          "io.lampone.protocol.ConflictLevel",
          "io.lampone.protocol.OperationId",
          "io.lampone.protocol.TransactionId");

  @Test
  void signaturesNameFewTypesOfOtherPackages() {
    JavaClasses classes =
        new ClassFileImporter().importPackages("io.lampone.client", "io.lampone.client.fastpath");
    Set<String> others = new TreeSet<>();
    for (JavaClass type : classes) {
      boolean shown =
          Set.of("io.lampone.client", "io.lampone.client.fastpath").contains(type.getPackageName())
              && type.getModifiers().contains(JavaModifier.PUBLIC)
              && !type.getName().endsWith("Test");
      if (shown) {
        type.getMethods().stream()
            .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
            .flatMap(
                method ->
                    Stream.concat(
                        Stream.of(method.getRawReturnType()),
                        method.getRawParameterTypes().stream()))
            .map(JavaClass::getBaseComponentType)
            .map(JavaClass::getName)
            .filter(name -> name.startsWith("io.lampone."))
            .filter(name -> !name.matches("io\\.lampone\\.client\\.(fastpath\\.)?[A-Z].*"))
            .forEach(name -> others.add(type.getSimpleName() + " " + name));
      }
    }
    assertThat(others.stream().map(each -> each.split(" ")[1]).distinct())
        .as(others.toString())
        .isSubsetOf(SHARED);
  }
}
