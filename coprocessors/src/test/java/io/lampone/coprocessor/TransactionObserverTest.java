package io.lampone.coprocessor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.coprocessor.server.StoppedServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.HasRegionServerServices;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hooks of a region without a server. */
class TransactionObserverTest {

  private static final Configuration SETTINGS = HBaseConfiguration.create();

  static {
    SETTINGS.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
  }

  @TempDir private Path folder;

  @AfterEach
  void endCall() {
    RpcServer.unsetCurrentCall();
  }

  /** Numbers of scanners can be guessed. */
  @Test
  void aScannerIsReadAndClosedByItsOwnerOnly() throws Exception {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"));
    try (StoppedServer server = new StoppedServer(SETTINGS, answer -> answer.failed("stopped"));
        LocalRegion region = new LocalRegion(folder, table.build())) {
      TransactionObserver observer = new TransactionObserver();
      observer.start(environment(server, region));
      RegionScanner scanner = new WrappingObserver.Wrapper(null);
      Scan scan = new Scan();
      callOf("alice");
      observer.preScannerOpen(null, scan);
      observer.postScannerOpen(null, scan, scanner);
      observer.preScannerNext(null, scanner, new ArrayList<>(), 1, true);

      callOf("mallory");
      assertThatThrownBy(() -> observer.preScannerNext(null, scanner, new ArrayList<>(), 1, true))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("user=mallory");
      assertThatThrownBy(() -> observer.preScannerClose(null, scanner))
          .isInstanceOf(AccessDeniedException.class);

      callOf("alice");
      observer.preScannerClose(null, scanner);
    }
  }

  private static void callOf(String user) {
    Optional<User> caller = Optional.of(User.createUserForTesting(SETTINGS, user, new String[0]));
    RpcServer.setCurrentCall(
        (RpcCall)
            fake(
                (self, method, arguments) ->
                    method.getName().equals("getRequestUser") ? caller : null,
                RpcCall.class));
  }

  private static CoprocessorEnvironment<?> environment(StoppedServer server, LocalRegion region) {
    return (CoprocessorEnvironment<?>)
        fake(
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getSharedData" -> new ConcurrentHashMap<>();
                  case "getRegionServerServices" -> server.services();
                  case "getRegion" -> region.region();
                  case "getRegionInfo" -> region.region().getRegionInfo();
                  default -> SETTINGS;
                },
            RegionCoprocessorEnvironment.class,
            HasRegionServerServices.class);
  }

  private static Object fake(InvocationHandler handler, Class<?>... types) {
    return Proxy.newProxyInstance(TransactionObserverTest.class.getClassLoader(), types, handler);
  }
}
