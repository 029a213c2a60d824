/** Reads of transactions without a snapshot (ADR 95). */
@NullMarked
package io.lampone.client.core.latest;

import org.jspecify.annotations.NullMarked;
