package io.lampone.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Region servers die, one after the other, until none of the first ones is left. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerDeathIT {

  @TempDir private Path folder;

  /** Each server proves its own session: the death of one must not silence the others. */
  @Test
  void whatWasCommittedSurvivesEveryServerAndTheRestGoesOn() throws Exception {
    try (EmbeddedLampone lampone =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
        LamponeClient client = LamponeClient.connect(lampone.configuration());
        Connection connection = ConnectionFactory.createConnection(lampone.configuration())) {
      EmbeddedHBase hbase = lampone.hbase();
      TwoRows rows = TwoRows.create(client, connection, "death");
      rows.write(client, "first");
      for (int server = 0; server < 2; server++) {
        try (Transaction open = client.begin()) {
          rows.putBoth(open, "open" + server);
          hbase.startRegionServer();
          hbase.killRegionServer(server);
          hbase.waitUntilAssigned(rows.table());
          assertThat(rows.read(client)).isEqualTo(server == 0 ? "first first" : "open0 open0");
          open.commit();
        }
        assertThat(rows.read(client)).isEqualTo("open" + server + " open" + server);
      }
    }
  }
}
