/** Rules of write intents and transaction cells under a row's lock (protocol page, section 4). */
@NullMarked
package io.lampone.coprocessor.core.intent;

import org.jspecify.annotations.NullMarked;
