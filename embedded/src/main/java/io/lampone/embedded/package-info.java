/**
 * HBase, and later the transaction manager, in one JVM: the quick start and the fixture of the
 * integration tests.
 *
 * <p>{@link io.lampone.embedded.EmbeddedHBase} is the entry point. Everything listens on 127.0.0.1
 * only and keeps its data in one folder.
 */
@NullMarked
package io.lampone.embedded;

import org.jspecify.annotations.NullMarked;
