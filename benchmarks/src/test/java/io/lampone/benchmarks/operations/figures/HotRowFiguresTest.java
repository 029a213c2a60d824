package io.lampone.benchmarks.operations.figures;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class HotRowFiguresTest {

  private static final int SECONDS = 600;

  @Test
  void theLastMinuteIsComparedWithTheOneAfterTheFirst() throws Exception {
    // Slow while caches are cold, then 100 us, then 150 us in the last minute.
    HotRowFigures figures = figures();
    assertThat(figures.readRatio()).isEqualTo(1.5);
    assertThat(figures.plainReadRatio()).isEqualTo(1.0);
    JsonNode json = new ObjectMapper().readTree(figures.toJson());
    assertThat(json.get("readRatio").asDouble()).isEqualTo(1.5);
    assertThat(json.get("metadataBytesGrowth").asDouble()).isEqualTo(2.0);
    assertThat(json.get("versionsGrowth").asDouble()).isEqualTo(1.0);
    assertThat(json.get("oldestIntentGrowth").asDouble()).isZero();
    assertThat(json.get("samples")).hasSize(SECONDS / 5 + 1);
    assertThat(json.get("samples").get(0).get("readMicros").asDouble()).isEqualTo(1_000);
  }

  @Test
  void theDrawingIsWellFormedAndHasAStripForEachFigure() throws Exception {
    Document svg =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(figures().toSvg())));
    assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(6);
  }

  private static HotRowFigures figures() {
    List<HotRowSample> samples = new ArrayList<>();
    for (int second = 0; second <= SECONDS; second += 5) {
      double read = second < 60 ? 1_000 : second < SECONDS - 60 ? 100 : 150;
      int metadata = second < SECONDS / 2 ? 10 : 20;
      samples.add(new HotRowSample(second, 1, metadata, 7, 0, 5, read, 50));
    }
    return new HotRowFigures(SECONDS, 60, 1, 1, false, samples);
  }
}
