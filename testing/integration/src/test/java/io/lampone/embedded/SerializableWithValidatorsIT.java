package io.lampone.embedded;

import io.lampone.client.LamponeClient;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The same anomalies while three validators own most buckets of conflict hashes. */
class SerializableWithValidatorsIT extends SerializableIT {

  private final EmbeddedLampone shared;
  private ExtraValidators validators;

  SerializableWithValidatorsIT(EmbeddedLampone cluster, LamponeClient client) {
    super(cluster, client);
    this.shared = cluster;
  }

  @BeforeAll
  void addValidators() throws IOException {
    validators = ExtraValidators.added(shared, 3);
  }

  @AfterAll
  void removeValidators() {
    validators.close();
  }
}
