/**
 * Background settlement of transactions of dead clients, on each region server for its own regions
 * (protocol page, section 7). The decisions are in {@link io.lampone.coprocessor.core}.
 */
@NullMarked
package io.lampone.coprocessor.healer;

import org.jspecify.annotations.NullMarked;
