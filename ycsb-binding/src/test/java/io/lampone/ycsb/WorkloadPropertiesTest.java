package io.lampone.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.client.Freshness;
import io.lampone.client.TransactionOptions;
import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/** Invalid properties are reported by name before anything is loaded. */
class WorkloadPropertiesTest {

  @ParameterizedTest
  @CsvSource({
    "lampone.txn.value.bytes, -1",
    "lampone.txn.value.bytes, 0",
    "lampone.txn.value.bytes, 20000000",
    "lampone.txn.value.bytes, many",
    "lampone.txn.seed, x",
    "lampone.txn.one.region, no",
    "lampone.txn.mix, RANDOM",
    "lampone.freshness, fresh",
    "recordcount, 9",
    "recordcount, x",
    "insertstart, -1",
    "insertstart, 100",
    "insertcount, 0",
    "insertcount, 101",
  })
  void aPropertyOfTransactionsIsRefused(String name, String value) {
    assertThatThrownBy(() -> new TxnWorkload().init(properties(name, value)))
        .isInstanceOf(WorkloadException.class)
        .hasMessageContaining(name + "=" + value);
  }

  @ParameterizedTest
  @CsvSource({
    "lampone.economy.audit.proportion, -0.1",
    "lampone.economy.audit.proportion, 1.1",
    "lampone.economy.audit.proportion, NaN",
    "lampone.economy.audit.proportion, x",
    "lampone.freshness, SESSION",
    "recordcount, 1",
    "recordcount, 3000000000",
    "insertcount, 101",
  })
  void aPropertyOfTheEconomyIsRefused(String name, String value) {
    assertThatThrownBy(() -> new ClosedEconomyWorkload().init(properties(name, value)))
        .isInstanceOf(WorkloadException.class)
        .hasMessageContaining(name + "=" + value);
  }

  /** YCSB executes recordcount inserts, independently of insertstart. */
  @ParameterizedTest
  @ValueSource(classes = {TxnWorkload.class, ClosedEconomyWorkload.class})
  void aPartOfTheRowsIsSaidAsAWhole(Class<? extends Workload> kind) throws Exception {
    Workload workload = kind.getDeclaredConstructor().newInstance();
    Properties properties = properties("insertstart", "60");
    assertThatThrownBy(() -> workload.init(properties)).hasMessageContaining("insertcount");
    properties.setProperty("insertcount", "41");
    assertThatThrownBy(() -> workload.init(properties)).hasMessageContaining("insertcount=41");
    properties.setProperty("insertcount", "40");
    assertThatCode(() -> workload.init(properties)).doesNotThrowAnyException();
  }

  @Test
  void theFreshnessIsOfTransactionsThatOnlyReadAndAScanIsNoneOfLatest() {
    for (Freshness freshness : Freshness.values()) {
      Settings settings =
          Settings.of(properties("lampone.freshness", freshness.name().toLowerCase(Locale.ROOT)));
      assertThat(settings.forGets())
          .isEqualTo(TransactionOptions.DEFAULT.asReadOnly().withFreshness(freshness));
      assertThat(settings.forScans().freshness())
          .isEqualTo(freshness == Freshness.LATEST ? Freshness.SESSION : freshness);
    }
    assertThat(Settings.of(new Properties()).freshness()).isEqualTo(Freshness.STRICT);
    Properties several = properties("lampone.freshness", "session");
    several.setProperty("lampone.operations", "2");
    assertThatThrownBy(() -> Settings.of(several))
        .hasMessageContaining("leave lampone.operations out, or lampone.freshness=session");
  }

  private static Properties properties(String name, String value) {
    Properties properties = new Properties();
    properties.setProperty("recordcount", "100");
    properties.setProperty(name, value);
    return properties;
  }
}
