/* Flows of UDP packets over ns-3's AODV among moving nodes: the figures that our AODV is checked against.
 *
 * 802.11b ad hoc at 2 Mbit/s, long preamble, a hard disc; nodes move as a file says, the very movement of our own run,
 * and packets are sent when a schedule says. AODV has ns-3's defaults; --ns3::aodv::RoutingProtocol::NAME=VALUE changes
 * one. Prints one line of JSON: which packets were lost, how long the others took, and the frames of each kind.
 */
#include "hard_disc.h"
#include "movement.h"

#include "ns3/aodv-module.h"
#include "ns3/internet-module.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t DATA_PORT = 9;
const uint16_t AODV_PORT = 654; // RFC 3561, section 10
const uint8_t ROUTE_REPLY = 2;
const int32_t NOBODY = -1;
const char* const KINDS[] = {"data", "request", "reply", "error", "reply_ack", "hello", "arp", "icmp"};

struct Options
{
    std::string movement; // lines "node time_s x_m y_m"
    std::string schedule; // lines "from to time_s", a packet each
    uint32_t nodes = 60;
    double rangeM = 250;
    double durationS = 905;
    double countedS = 5; // frames are counted from then on
    uint32_t payloadBytes = 512;
    bool arp = true; // false: everybody knows everybody's address from the start
};

struct Parcel
{
    uint32_t from;
    uint32_t to;
    double timeS;
    double latencyS = -1; // not arrived
    int32_t givenUpBy = NOBODY; // the node whose MAC gave it up last
};

Options g_options;
std::vector<Parcel> g_parcels;
std::vector<Ptr<Socket>> g_sockets;
std::vector<Ipv4Address> g_addresses;
std::map<std::string, uint64_t> g_frames; // on the air, repetitions included, by kind
std::map<int, uint64_t> g_drops;          // at the MAC, by ns-3's reason

/** Which of the packets this is; its bytes are part of the payload. */
class ParcelHeader : public Header
{
  public:
    static const uint32_t SIZE = 4;
    uint32_t parcel = 0;

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("roamcast::ParcelHeader").SetParent<Header>().AddConstructor<ParcelHeader>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    void Print(std::ostream& out) const override
    {
        out << parcel;
    }

    uint32_t GetSerializedSize() const override
    {
        return SIZE;
    }

    void Serialize(Buffer::Iterator to) const override
    {
        to.WriteU32(parcel);
    }

    uint32_t Deserialize(Buffer::Iterator from) override
    {
        parcel = from.ReadU32();
        return SIZE;
    }
};

void
ReadSchedule()
{
    std::ifstream file(g_options.schedule);
    Parcel parcel;
    while (file >> parcel.from >> parcel.to >> parcel.timeS)
    {
        g_parcels.push_back(parcel);
    }
}

void
Send(uint32_t number)
{
    const Parcel& parcel = g_parcels[number];
    ParcelHeader header;
    header.parcel = number;
    Ptr<Packet> packet = Create<Packet>(g_options.payloadBytes - ParcelHeader::SIZE);
    packet->AddHeader(header);
    g_sockets[parcel.from]->SendTo(packet, 0, InetSocketAddress(g_addresses[parcel.to], DATA_PORT));
}

void
Receive(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        ParcelHeader header;
        packet->RemoveHeader(header);
        Parcel& parcel = g_parcels.at(header.parcel);
        if (parcel.latencyS < 0) // a repetition does not count
        {
            parcel.latencyS = Simulator::Now().GetSeconds() - parcel.timeS;
        }
    }
}

/** Say what a data frame of the MAC carries. */
std::string
KindOf(const Ptr<Packet>& frame, bool isBroadcast)
{
    LlcSnapHeader llc;
    frame->RemoveHeader(llc);
    if (llc.GetType() == ArpL3Protocol::PROT_NUMBER)
    {
        return "arp";
    }
    Ipv4Header ip;
    UdpHeader udp;
    frame->RemoveHeader(ip);
    if (ip.GetProtocol() != UdpL4Protocol::PROT_NUMBER)
    {
        return "icmp"; // of a packet that had no route
    }
    frame->RemoveHeader(udp);
    if (udp.GetDestinationPort() != AODV_PORT)
    {
        return "data";
    }
    uint8_t type = 0;
    frame->CopyData(&type, 1);
    return isBroadcast && type == ROUTE_REPLY ? "hello" : KINDS[type];
}

void
CountFrame(Ptr<const Packet> frame, double)
{
    WifiMacHeader header;
    Ptr<Packet> copy = frame->Copy();
    copy->RemoveHeader(header);
    if (header.IsData() && Simulator::Now() >= Seconds(g_options.countedS))
    {
        ++g_frames[KindOf(copy, header.GetAddr1().IsBroadcast())];
    }
}

void
NoteDrop(int32_t node, WifiMacDropReason reason, Ptr<const WifiMpdu> frame)
{
    ++g_drops[reason];
    Ptr<Packet> copy = frame->GetPacket()->Copy();
    if (frame->GetHeader().IsData() && KindOf(copy, frame->GetHeader().GetAddr1().IsBroadcast()) == "data")
    {
        ParcelHeader header; // KindOf has taken off what stands before it
        copy->PeekHeader(header);
        g_parcels.at(header.parcel).givenUpBy = node;
    }
}

void
Install(const NodeContainer& nodes)
{
    NetDeviceContainer devices =
        hard_disc::InstallRadios(nodes, WIFI_STANDARD_80211b, g_options.rangeM, "DsssRate2Mbps", "DsssRate1Mbps");
    AodvHelper aodv;
    InternetStackHelper internet;
    internet.SetRoutingHelper(aodv);
    internet.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    if (!g_options.arp)
    {
        NeighborCacheHelper known;
        known.PopulateNeighborCache();
    }
    for (uint32_t node = 0; node < nodes.GetN(); ++node)
    {
        g_addresses.push_back(interfaces.GetAddress(node));
        g_sockets.push_back(Socket::CreateSocket(nodes.Get(node), UdpSocketFactory::GetTypeId()));
        g_sockets.back()->Bind(InetSocketAddress(Ipv4Address::GetAny(), DATA_PORT));
        g_sockets.back()->SetRecvCallback(MakeCallback(&Receive));
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(devices.Get(node));
        device->GetPhy()->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&CountFrame));
        device->GetMac()->TraceConnectWithoutContext("DroppedMpdu", MakeBoundCallback(&NoteDrop, int32_t(node)));
    }
    for (uint32_t number = 0; number < g_parcels.size(); ++number)
    {
        const Parcel& parcel = g_parcels[number];
        Simulator::ScheduleWithContext(parcel.from, Seconds(parcel.timeS), &Send, number);
    }
}

void
Print()
{
    std::vector<double> latenciesS;
    double sumS = 0;
    uint32_t lostBySender = 0;
    uint32_t lostByRelay = 0;
    std::cout.precision(9);
    std::cout << "{\"packets\": " << g_parcels.size() << ", \"lost\": [";
    const char* comma = "";
    for (uint32_t number = 0; number < g_parcels.size(); ++number)
    {
        const Parcel& parcel = g_parcels[number];
        double latencyS = parcel.latencyS;
        if (latencyS < 0)
        {
            std::cout << comma << number;
            comma = ", ";
            lostBySender += parcel.givenUpBy == int32_t(parcel.from);
            lostByRelay += parcel.givenUpBy != NOBODY && parcel.givenUpBy != int32_t(parcel.from);
            continue;
        }
        latenciesS.push_back(latencyS);
        sumS += latencyS;
    }
    std::sort(latenciesS.begin(), latenciesS.end());
    uint64_t received = latenciesS.size();
    std::cout << "], \"received\": " << received << ", \"link_broke_at_sender\": " << lostBySender
              << ", \"link_broke_at_relay\": " << lostByRelay
              << ", \"latency_median_s\": " << (received ? latenciesS[received / 2] : 0)
              << ", \"latency_mean_s\": " << (received ? sumS / received : 0) << ", \"frames_by_kind\": {";
    comma = "";
    for (const char* kind : KINDS)
    {
        std::cout << comma << "\"" << kind << "\": " << g_frames[kind];
        comma = ", ";
    }
    std::cout << "}, \"dropped_at_retry_limit\": " << g_drops[WIFI_MAC_DROP_REACHED_RETRY_LIMIT]
              << ", \"cpu_s\": " << hard_disc::CpuSeconds() << ", \"judged\": " << hard_disc::g_judged << "}"
              << std::endl;
}

} // namespace

int
main(int argc, char* argv[])
{
    CommandLine command(__FILE__);
    command.AddValue("movement", "file of lines: node time_s x_m y_m", g_options.movement);
    command.AddValue("schedule", "file of lines: from to time_s", g_options.schedule);
    command.AddValue("nodes", "number of nodes", g_options.nodes);
    command.AddValue("range", "reach of a frame, m", g_options.rangeM);
    command.AddValue("duration", "simulated seconds", g_options.durationS);
    command.AddValue("counted", "seconds before frames are counted", g_options.countedS);
    command.AddValue("payload", "bytes that UDP carries", g_options.payloadBytes);
    command.AddValue("arp", "0: neighbours' addresses are known and never asked for", g_options.arp);
    hard_disc::SetDefaults(50); // before the command line, which may change what it sets
    command.Parse(argc, argv);
    movement::Walks walks = movement::Read(g_options.movement, g_options.nodes);
    ReadSchedule();
    NodeContainer nodes;
    nodes.Create(g_options.nodes);
    for (uint32_t node = 0; node < g_options.nodes; ++node)
    {
        movement::Follow(nodes.Get(node), walks[node]);
    }
    Install(nodes);
    Simulator::Stop(Seconds(g_options.durationS));
    Simulator::Run();
    Print();
    Simulator::Destroy();
    return 0;
}
