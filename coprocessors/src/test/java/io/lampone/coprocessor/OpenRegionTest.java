package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.core.RegionServerSettings;
import io.lampone.coprocessor.core.fence.Refused;
import io.lampone.coprocessor.server.StoppedServer;
import io.lampone.hbase.TableSettings;
import io.lampone.protocol.Timestamps;
import io.lampone.protocol.request.Refusal.Code;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.Region;
import org.junit.jupiter.api.Test;

/** What a region of a transactional table refuses. */
class OpenRegionTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final String CACHE = RegionServerSettings.ENDPOINTS_ALLOWED.defaultValue();
  private static final String OTHER = "AggregateService";

  @Test
  void onlyServicesThatAreAllowedAreAdmitted() throws Exception {
    try (StoppedServer server = new StoppedServer()) {
      OpenRegion byDefault = open(server, HBaseConfiguration.create());
      byDefault.refuseService(CACHE);
      refused(byDefault, OTHER);

      OpenRegion both = open(server, allowing(CACHE + ", " + OTHER));
      both.refuseService(CACHE);
      both.refuseService(OTHER);

      for (String none : List.of("", " ", ",")) {
        refused(open(server, allowing(none)), CACHE);
        refused(open(server, allowing(none)), OTHER);
      }
    }
  }

  private static void refused(OpenRegion open, String service) {
    assertThatThrownBy(() -> open.refuseService(service))
        .isInstanceOfSatisfying(
            Refused.class, e -> assertThat(e.refusal().code()).isEqualTo(Code.PLAIN_CLIENT))
        .hasMessageContaining("service=" + service);
  }

  private static Configuration allowing(String services) {
    Configuration configuration = HBaseConfiguration.create();
    configuration.set(RegionServerSettings.ENDPOINTS_ALLOWED.name(), services);
    return configuration;
  }

  private static OpenRegion open(StoppedServer server, Configuration configuration)
      throws IOException {
    TableDescriptor table =
        TableSettings.ofPhoenix(Timestamps.tick(1L << 60))
            .applyTo(
                TableDescriptorBuilder.newBuilder(NAME)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")))
            .build();
    RegionInfo info = RegionInfoBuilder.newBuilder(NAME).build();
    Region region = fake(Region.class, name -> table);
    return new OpenRegion(
        fake(
            RegionCoprocessorEnvironment.class,
            name ->
                switch (name) {
                  case "getRegion" -> region;
                  case "getRegionInfo" -> info;
                  default -> configuration;
                }),
        server.context());
  }

  private static <T> T fake(Class<T> type, Function<String, Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            OpenRegionTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> answer.apply(method.getName())));
  }
}
