package io.lampone.phoenix;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.List;
import org.apache.phoenix.schema.PIndexState;
import org.apache.phoenix.schema.PNameFactory;
import org.apache.phoenix.schema.PTable;
import org.apache.phoenix.schema.PTableKey;
import org.junit.jupiter.api.Test;

class KnownSchemasTest {

  private static final long START = 1_000;

  private final KnownSchemas schemas = new KnownSchemas();

  @Test
  void aCopyThatTheCatalogueStillHoldsIsAsNewAsTheTransaction() throws Exception {
    PTable copy = table(1);
    assertThat(schemas.lookUp(copy, old -> table(1), START, () -> 5)).isEqualTo(START);
    assertThat(schemas.of(copy)).hasValue(START);
    assertThat(schemas.isFoundBefore(copy, 6)).isTrue();
  }

  /** A write by it would be admitted without the rows of the index. */
  @Test
  void anOlderCopyThanThatOfTheCatalogueIsNotTakenForAsNewAsTheTransaction() throws Exception {
    PTable copy = table(1);
    PTable present = table(2, table(2));
    assertThat(schemas.lookUp(copy, old -> present, START, () -> 5))
        .isEqualTo(KnownSchemas.NOTHING);
    assertThat(schemas.of(copy)).isEmpty();
    assertThat(schemas.of(present)).hasValue(START);
  }

  /** Returns a description from a time, with indexes. */
  private static PTable table(long timestamp, PTable... indexes) {
    return (PTable)
        Proxy.newProxyInstance(
            PTable.class.getClassLoader(),
            new Class<?>[] {PTable.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getKey" -> new PTableKey(null, "T");
                  case "getName", "getPhysicalName" -> PNameFactory.newName("T");
                  case "getTimeStamp" -> timestamp;
                  case "getIndexes" -> List.of(indexes);
                  case "getIndexState" -> PIndexState.ACTIVE;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
