<?php

declare(strict_types=1);

use Hollow\Parcel\Carrier\Courier;
use Hollow\Parcel\Desk;
use Hollow\Parcel\Model\{Letter, Parcel};

use function Hollow\Parcel\grams as to_grams;

require __DIR__ . '/../vendor/autoload.php';
require_once __DIR__ . '/../src/helpers.php';

function usage(string $program): never
{
    fwrite(STDERR, "usage: $program SIDE WEIGHT\n");
    exit(64);
}

$desk = Desk::main();
$desk->register((new Courier())->whenTaken(fn (Parcel $p) => print $p->code . PHP_EOL));

if ($argc < 3) {
    usage($argv[0]);
}

$parcel = Parcel::cube((int) $argv[1], (float) $argv[2]);
echo $desk->send($parcel)->value, ' ', to_grams($parcel->weight()), PHP_EOL;
echo (new Letter('A. Reader'))->label(), PHP_EOL;
